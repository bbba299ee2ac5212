import { isDeepStrictEqual } from 'node:util';
import type { Running } from '../contestants.ts';
import type { Load } from '../load/load.ts';
import { send } from '../load/warm-up.ts';
import type { BenchRequest, Operation } from '../operations.ts';

const SAMPLES = 10;
const KEY = 'demo-client-key';
const STRANGERS = ['demo-observer-key', 'no-such-key'];

/** Throws an Error unless every contestant answers the operation like the first one, and refuses strangers. */
export async function checkAnswers(
  operation: Operation,
  contestants: readonly Running[],
  requests: readonly BenchRequest[],
): Promise<void> {
  for (const request of requests.slice(0, SAMPLES)) {
    const answers = await Promise.all(contestants.map((one) => answerOf(one, request, operation)));
    const [expected] = answers;
    contestants.forEach(({ name }, index) => {
      if (isDeepStrictEqual(answers[index], expected)) return;
      const [ours, theirs] = [expected, answers[index]].map((answer) => JSON.stringify(answer).slice(0, 2_000));
      throw new Error(`${operation.name}: ${name} answers ${request.path} with\n${theirs}\nand not with\n${ours}`);
    });
  }
  const [first] = requests;
  for (const contestant of contestants) {
    for (const key of STRANGERS) if (first) await checkRefusal(contestant, first, key);
  }
}

/** What has to be the same: status, media type, ETag and body, apart from the values that must differ. */
async function answerOf(contestant: Running, request: BenchRequest, { name, differing }: Operation) {
  const { response, text } = await send(loadOf(contestant, KEY), request);
  if (!response.ok)
    throw new Error(`${name}: ${contestant.name} answers ${request.path} with ${response.status}: ${text}`);
  const value: unknown = JSON.parse(text, (member, inner) => (differing.includes(member) ? typeof inner : inner));
  const type = response.headers.get('content-type')?.replace(/ ?charset=.*/, '');
  const tag =
    differing.length > 0 ? response.headers.has('etag') : response.headers.get('etag')?.replace(/-gzip"$/, '"');
  return { status: response.status, type, tag, hasId: response.headers.has('x-request-id'), value };
}

async function checkRefusal(contestant: Running, request: BenchRequest, key: string): Promise<void> {
  const { response, text } = await send(loadOf(contestant, key), request);
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
