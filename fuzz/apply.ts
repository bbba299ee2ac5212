import { gzipSync } from 'node:zlib';
import type { Request } from './client.ts';
import type { Bytes, Edit } from './edits.ts';

/** The request with these changes, one after the other. */
export const apply = (request: Request, edits: readonly Edit[]): Request => edits.reduce(changed, request);

function changed(request: Request, edit: Edit): Request {
  const { headers, body } = request;
  switch (edit.edit) {
    case 'method':
      return { ...request, method: edit.method };
    case 'key':
      return { ...request, headers: { ...without(headers, 'Cookie'), Authorization: edit.key } };
    case 'header':
      return { ...request, headers: { ...headers, [edit.name]: edit.value } };
    case 'query':
      return { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}${edit.name}=${edit.value}` };
    case 'segment':
      return { ...request, path: otherSegment(request.path, edit.at, edit.value) };
    case 'member':
      return { ...request, body: otherJson(body, edit.at, () => edit.value) };
    case 'added':
      return { ...request, body: otherJson(body, edit.at, (node) => withMember(node, edit.name, edit.value)) };
    case 'bytes':
      return { ...request, body: BYTES[edit.how](body ?? Buffer.alloc(0), edit.at) };
    case 'chunked':
      return { ...request, chunked: true };
  }
}

const without = (headers: Request['headers'], name: string): Request['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([one]) => one !== name));

function otherSegment(path: string, at: number, value: string): string {
  const [place = '', ...query] = path.split('?');
  const segments = place.split('/');
  segments[1 + (at % Math.max(1, segments.length - 1))] = value;
  return [segments.join('/'), ...query].join('?');
}

/** The same bytes where they are no JSON, or JSON too deep to walk through. */
function otherJson(body: Buffer | undefined, at: number, replace: (node: unknown) => unknown): Buffer | undefined {
  if (body === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(body.toString());
    const left = { count: at % placesIn(value) };
    return Buffer.from(JSON.stringify(replaced(value, left, replace)));
  } catch {
    return body;
  }
}

const isBranch = (value: unknown): value is object => typeof value === 'object' && value !== null;

const placesIn = (value: unknown): number =>
  isBranch(value) ? Object.values(value).reduce<number>((sum, member) => sum + placesIn(member), 1) : 1;

function replaced(value: unknown, left: { count: number }, replace: (node: unknown) => unknown): unknown {
  if (left.count-- === 0) return replace(value);
  if (Array.isArray(value)) return value.map((item) => replaced(item, left, replace));
  if (!isBranch(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, replaced(member, left, replace)]));
}

function withMember(node: unknown, name: string, value: unknown): unknown {
  if (Array.isArray(node)) return [...node, value];
  return isBranch(node) ? Object.fromEntries([...Object.entries(node), [name, value]]) : { [name]: value };
}

const BYTES: Readonly<Record<Bytes, (body: Buffer, at: number) => Buffer | undefined>> = {
  cut: (body, at) => body.subarray(0, at % (body.length + 1)),
  flip: (body, at) => {
    const other = Buffer.from(body);
    if (other.length > 0) other[at % other.length] = (other[at % other.length] ?? 0) ^ (1 << (at % 8));
    return other;
  },
  mark: (body) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), body]),
  garbage: (body, at) => Buffer.concat([body.subarray(0, at % (body.length + 1)), Buffer.from([0xff, 0x00, 0xc3])]),
  gzip: (body) => gzipSync(body),
  none: () => undefined,
  deep: (_, at) => Buffer.from(`{"body":${'['.repeat(20 + at)}${']'.repeat(20 + at)}}`),
  long: (body, at) => Buffer.concat([body, Buffer.alloc(at * 50, ' ')]),
  twice: (body) => Buffer.concat([body, body]),
  utf16: (body) => Buffer.from(body.toString(), 'utf16le'),
};
