import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import type { Endpoint } from '../../rest-compat/declare/endpoint.ts';
import { endpoints } from '../../rest-compat/endpoints.ts';
import type { Example } from '../../rest-compat/openapi/examples.ts';
import { seededClockAndIds } from '../../src/domain/request/clock-and-ids.ts';
import { isUuid } from '../../src/model/uuid.ts';
import { fieldPart, filePart, formOf, sendForm } from '../rest-compat/form.ts';
import { type Caller, startTestService, type TestService } from '../service.ts';
import { withoutExpiry } from '../without-expiry.ts';

const START = Date.parse('2026-05-01T08:00:00.000Z');
const MINUTE = 60_000;
/** The values that vary, by member. */
const UNSTABLE: Readonly<Record<string, string>> = {
  secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  place: '4711',
};
const A_FILE = '019de2c0-0000-7000-8000-00000000f11e';

/** One request of the scenario. */
export interface Line {
  /** Whose key is sent; `session` sends the last cookie set. */
  readonly as?: Caller | 'session';
  /** The values of the path parameters. */
  readonly at?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  /** A form: its file, as text, and its fields. */
  readonly form?: { readonly file: string; readonly fields?: Readonly<Record<string, string>> };
  /** Distinguishes several examples of one endpoint. */
  readonly name?: string;
}

/** Sends a request to the endpoint of that id, and returns the answer's body; the first of each name is an example. */
// biome-ignore lint/suspicious/noExplicitAny: an answer may be any JSON
export type Send = (id: string, line?: Line) => Promise<any>;

/** A service whose clock advances by a minute per request, with ids derived only from the requests. */
export async function openScenario() {
  let step = 0;
  let next = (): string => '';
  const now = (): Date => new Date(START + step * MINUTE);
  const turn = (): void => {
    step += 1;
    const seed = v7({ msecs: now().getTime(), seq: step, random: new Uint8Array(16) });
    next = seededClockAndIds({ now, newId: () => '' }, { value: seed, isUsed: false, isLate: () => false }).newId;
  };
  const given = new Set<string>();
  const newId = (): string => {
    const id = next();
    given.add(id);
    return id;
  };
  /** A stored file's id comes from the storage, and differs each time. */
  const stable = (member: string, value: unknown): unknown =>
    UNSTABLE[member] !== undefined && typeof value === 'string'
      ? UNSTABLE[member]
      : member === 'location' && isUuid(String(value)) && !given.has(String(value))
        ? A_FILE
        : value;
  const service = await startTestService({ sources: { now, newId }, records: true });
  await withoutExpiry(service.stores.db);
  await projectorBegins(service);
  const examples = new Map<string, Example[]>();
  let Cookie = '';

  const send: Send = async (id, line = {}) => {
    turn();
    const endpoint = endpoints.find((one) => one.id === id);
    if (!endpoint) throw new Error(`There is no endpoint ${id}.`);
    const { as = 'client', body, form, name = 'example' } = line;
    const path = pathOf(endpoint, line);
    const by = as === 'session' ? { headers: { Cookie, 'X-Requested-With': 'fetch' } } : { as };
    const answer = form
      ? await sendForm(service, path, bytesOf(form), by)
      : { ...(await service.ask(endpoint.method, path, { ...by, body })) };
    if ('headers' in answer) Cookie = answer.headers.get('set-cookie')?.split(';')[0] ?? Cookie;
    if (answer.status >= 300) throw new Error(`${id}: ${JSON.stringify(answer.body)}`);
    const known = examples.get(id) ?? [];
    examples.set(id, known);
    if (!known.some((example) => example.name === name)) {
      const request = form ? { file: form.file, ...form.fields } : body;
      const value = answer.body ?? ('text' in answer ? answer.text : undefined);
      known.push({
        name,
        ...(request !== undefined && { request }),
        status: answer.status,
        answer: JSON.parse(JSON.stringify(shortened(value), stable)),
      });
    }
    return answer.body;
  };
  return { service, send, examples };
}

/** Records everything from now on. */
async function projectorBegins({ stores }: TestService): Promise<void> {
  const leases = stores.db.collection<{ _id: string }>('leases');
  while (!(await leases.findOne({ _id: 'events', from: { $exists: true } }))) await sleep(20);
}

/** A long list is shown by its first two items. */
const shortened = (answer: unknown): unknown => (Array.isArray(answer) ? answer.slice(0, 2) : answer);

function pathOf(endpoint: Endpoint, { at = {}, query }: Line): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => at[name] ?? `no-${name}`);
  return query === undefined ? path : `${path}?${query}`;
}

function bytesOf({ file, fields = {} }: Line['form'] & object): Buffer {
  const part = filePart(file, { disposition: 'filename="certificate.txt"' });
  return formOf(part, ...Object.entries(fields).map(([name, value]) => fieldPart(name, value)));
}
