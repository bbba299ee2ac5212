import { readFileSync } from 'node:fs';
import type { Endpoint } from '../declare/endpoint.ts';
import type { Answer, Answers, Content, RequestBody } from '../declare/openapi-parts.ts';

/** A request to an endpoint, and the response of the service. */
export interface Example {
  readonly name: string;
  /** The request body; for a form, its fields. */
  readonly request?: unknown;
  readonly status: number;
  readonly answer: unknown;
}

/** Examples by endpoint id; a test writes the file, and checks that the service still responds this way. */
const recorded = JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, readonly Example[]>
>;

/** The request body with the examples of this endpoint. */
export function withRequests({ id }: Endpoint, body: RequestBody): RequestBody {
  const sent = (recorded[id] ?? []).filter(({ request }) => request !== undefined);
  const values = sent.map(({ name, request }) => [name, request] as const);
  if (values.length === 0) return body;
  return { ...body, content: withValues(body.content, values) };
}

/** The responses with the examples of this endpoint. */
export function withAnswers({ id }: Endpoint, answers: Answers): Answers {
  const examples = recorded[id] ?? [];
  const shown = ([status, answer]: readonly [string, Answer]): readonly [string, Answer] => {
    const fitting = examples.filter((example) => String(example.status) === status);
    const values = fitting.map(({ name, answer: value }) => [name, value] as const);
    if (answer.content === undefined || values.length === 0) return [status, answer];
    return [status, { ...answer, content: withValues(answer.content, values) }];
  };
  return Object.fromEntries(Object.entries(answers).map(shown));
}

function withValues(content: Content, values: readonly (readonly [name: string, value: unknown])[]): Content {
  const examples = Object.fromEntries(values.map(([name, value]) => [name, { value }]));
  return Object.fromEntries(
    Object.entries(content).map(([type, described]) => [
      type,
      type === 'text/event-stream' ? described : { ...described, examples: { ...described.examples, ...examples } },
    ]),
  );
}
