import { isDeepStrictEqual } from 'node:util';
import type { Running } from '../contestants.ts';
import type { Load } from '../load/load.ts';
import { send } from '../load/warm-up.ts';
import type { BenchRequest, Operation } from '../rows/operation.ts';

const SAMPLES = 10;
const KEY = 'demo-client-key';
/** The keys of a tenant that is not a party to the workspaces, and of nobody. */
const OBSERVER = 'demo-observer-key';
const STRANGERS = [OBSERVER, 'no-such-key'];

/** Throws an Error unless every contestant gives the same answers as the first, and refuses strangers. */
export async function checkAnswers(
  operation: Operation,
  contestants: readonly Running[],
  requestsFor: (contestant: Running) => Promise<readonly BenchRequest[]>,
): Promise<void> {
  const asked: (readonly BenchRequest[])[] = [];
  for (const contestant of contestants) asked.push(await requestsFor(contestant));
  for (let sample = 0; sample < Math.min(SAMPLES, asked[0]?.length ?? 0); sample++) {
    const answers = await Promise.all(
      contestants.map((one, index) => answerOf(one, asked[index]?.[sample] as BenchRequest, operation)),
    );
    const [expected] = answers;
    contestants.forEach(({ name }, index) => {
      if (isDeepStrictEqual(answers[index], expected)) return;
      const [ours, theirs] = [expected, answers[index]].map((answer) => JSON.stringify(answer).slice(0, 2_000));
      const path = asked[index]?.[sample]?.path;
      throw new Error(`${operation.name}: ${name} answers ${path} with\n${theirs}\nand not with\n${ours}`);
    });
  }
  for (const [index, contestant] of contestants.entries()) {
    const last = asked[index]?.at(-1); // not sent yet, even if it can be sent only once
    for (const key of STRANGERS) if (last) await checkRefusal(contestant, last, key, operation);
  }
}

/** The parts that must be equal: status, media type, ETag and body, apart from the values that must differ. */
async function answerOf(contestant: Running, request: BenchRequest, { name, differing }: Operation) {
  const { response, text } = await send(loadOf(contestant, KEY), request);
  if (!response.ok)
    throw new Error(`${name}: ${contestant.name} answers ${request.path} with ${response.status}: ${text}`);
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const alike = (member: string, inner: unknown) => (differing.includes(member) ? typeof inner : inner);
  const value: unknown = isJson ? JSON.parse(text, alike) : text;
  const type = response.headers.get('content-type')?.replace(/; ?charset=.*/, '');
  const tag =
    differing.length > 0 ? response.headers.has('etag') : response.headers.get('etag')?.replace(/-gzip"$/, '"');
  return { status: response.status, type, tag, hasId: response.headers.has('x-request-id'), value };
}

async function checkRefusal(
  contestant: Running,
  request: BenchRequest,
  key: string,
  { isOpen }: Operation,
): Promise<void> {
  const { response, text } = await send(loadOf(contestant, key), request);
  if (isOpen && key === OBSERVER) return;
  if (response.ok && !text.includes('"errors"')) {
    throw new Error(`${contestant.name} answers ${request.path} to ${key}: ${text.slice(0, 500)}`);
  }
}

const loadOf = ({ url }: Running, key: string): Load => ({
  url,
  key,
  requests: [],
  connections: 1,
  seconds: 0,
  folder: '',
});
