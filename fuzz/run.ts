import fc from 'fast-check';
import type { Db } from 'mongodb';
import { assertDescribed } from '../test/assert-described.ts';
import { apply } from './apply.ts';
import { Client, type Request } from './client.ts';
import { recordCorpus } from './corpus.ts';
import { type Edit, edit } from './edits.ts';
import type { FuzzOptions } from './options.ts';
import { Snapshot } from './snapshot.ts';

interface FuzzParts extends FuzzOptions {
  readonly url: string;
  readonly db: Db;
  /** Called after so many requests. */
  readonly progress?: (requests: number) => Promise<void>;
}

/** What a run found. */
interface Found {
  readonly requests: number;
  /** How many answers had which status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The smallest request that is answered wrongly, and how. */
  readonly failure: string | undefined;
}

/** After so many requests, what they stored is removed. */
const RESTORED_AFTER = 500;
const MOST_EDITS = 4;

/** Sends recorded requests with changes; the first answer that must not be is narrowed down to the fewest of them. */
export async function runFuzz({ url, db, requests, seed, progress }: FuzzParts): Promise<Found> {
  const client = new Client(url);
  const corpus = await recordCorpus(client);
  const snapshot = await Snapshot.of(db);
  const statuses: Record<string, number> = {};
  let sent = 0;
  const changed = fc.record({ base: fc.nat(corpus.length - 1), edits: fc.array(edit, { maxLength: MOST_EDITS }) });
  const requestOf = ({ base, edits }: { base: number; edits: readonly Edit[] }): Request =>
    apply(corpus[base] ?? { method: 'GET', path: '/', headers: {} }, edits);
  const property = fc.asyncProperty(changed, async (one) => {
    const status = await check(client, url, requestOf(one));
    statuses[status] = (statuses[status] ?? 0) + 1;
    sent += 1;
    if (sent % RESTORED_AFTER === 0) await snapshot.restore();
    await progress?.(sent);
  });
  try {
    const { failed, counterexample, errorInstance } = await fc.check(property, { seed, numRuns: requests });
    if (!failed) return { requests: sent, statuses, failure: undefined };
    const [smallest] = counterexample ?? [];
    const failure = smallest
      ? `${JSON.stringify(smallest.edits)}\n${written(requestOf(smallest))}\n${errorInstance}`
      : String(errorInstance);
    return { requests: sent, statuses, failure };
  } finally {
    client.close();
  }
}

/** The status of a good answer; throws where there is none, or one that must not be. */
async function check(client: Client, url: string, request: Request): Promise<number> {
  const { method, path } = request;
  const answer = await client.send(request);
  if (answer === undefined) return 0;
  const { status, headers } = answer;
  if (status >= 500 && status !== 501 && status !== 503) throw new Error(`${status}: ${answer.text.slice(0, 2_000)}`);
  if (isBroken(path)) {
    // No endpoint has such a path, so that none describes the answer.
    if (status !== 400) throw new Error(`${status} instead of 400 for a path that cannot be read`);
  } else if (!headers.get('content-type')?.startsWith('text/event-stream'))
    await assertDescribed(url, { method, path, ...answer });
  return status;
}

function isBroken(path: string): boolean {
  try {
    decodeURIComponent(path.split('?')[0] ?? '');
    return false;
  } catch {
    return true;
  }
}

const written = ({ method, path, headers, body, chunked }: Request): string =>
  [
    `${method} ${path}${chunked ? ' (chunked)' : ''}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value.slice(0, 200)}`),
    '',
    body === undefined ? '(no body)' : body.subarray(0, 4_000).toString(),
  ].join('\n');
