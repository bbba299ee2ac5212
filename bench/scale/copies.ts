import { derivedParts, documentKind } from '../../src/domain/documents/document-kind.ts';
import type { StoredCatalogRecord, StoredDocument, StoredWorkspace } from '../../src/model/entity/entity.ts';
import { keyedFieldsOfType } from '../../src/model/fields/fields.ts';
import type { JsonObject } from '../../src/model/json.ts';

/** The time span of the repeated trade. */
const SPAN_MS = 100 * 24 * 60 * 60_000;
const ID = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-/;
/** Fixed ids are shared (tenants, principals, organizations), except those of workspaces and specifications, which are copied. */
const FIXED = /^0190a000-0000-7000-8000-(?!0000000[bc])/;
/** The position of an id's third group, after the version digit. */
const THIRD = 15;

/** The id of the same entity in a copy of its workspace. */
function idInCopy(id: string, copy: number): string {
  if (copy === 0 || !ID.test(id) || FIXED.test(id)) return id;
  const third = (Number.parseInt(id.slice(THIRD, THIRD + 3), 16) + copy) % 0x1000;
  return id.slice(0, THIRD) + third.toString(16).padStart(3, '0') + id.slice(THIRD + 3);
}

/** A workspace, record or document in a copy of its workspace: the same, with its own ids. */
export function inCopy<E extends StoredWorkspace | StoredCatalogRecord | StoredDocument>(one: E, copy: number): E {
  return copy === 0 ? one : (withIds(one, copy) as E);
}

function withIds(value: unknown, copy: number): unknown {
  if (typeof value === 'string') return idInCopy(value, copy);
  if (Array.isArray(value)) return value.map((item) => withIds(item, copy));
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withIds(member, copy)]));
}

/** The same document `span` spans of the trade earlier, with its own numbers and ids; `jobs` is the number of jobs in a span. */
export function earlierBy(span: number, { sender: _none, ...one }: StoredDocument, jobs: number): StoredDocument {
  if (span === 0) return one;
  const kind = documentKind(one.type);
  const earlier = (time: Date): Date => new Date(time.getTime() - span * SPAN_MS);
  const body: Record<string, unknown> = { ...one.body };
  for (const { name, datetime } of keyedFieldsOfType(kind.type)) {
    if (datetime && typeof body[name] === 'string') body[name] = earlier(new Date(body[name])).toISOString();
  }
  if (typeof body.refNumber === 'string') {
    body.refNumber = body.refNumber.replace(/\d+$/, (digits) => String(Number(digits) + span * jobs).padStart(5, '0'));
    body.xref = `PO-${Number(String(body.xref).slice(3)) + span * jobs * 7}`;
  }
  if (one.parent_id) body.parent = earlierId(one.parent_id, span);
  return {
    ...one,
    _id: earlierId(one._id, span),
    version_id: earlierId(one.version_id, span),
    parent_id: one.parent_id && earlierId(one.parent_id, span),
    created_at: earlier(one.created_at),
    modified_at: earlier(one.modified_at),
    body: body as JsonObject,
    ...derivedParts(kind, body as JsonObject, one.refs),
  };
}

/** Ids begin with their creation time in milliseconds, so those of earlier documents are in order too. */
function earlierId(id: string, span: number): string {
  const made = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) - span * SPAN_MS;
  const digits = made.toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}${id.slice(13)}`;
}
