import type { Document } from 'mongodb';
import { SHARD_PLAN, type ShardKey } from '../../src/store/sharding/shard-plan.ts';

/** A command as sent to MongoDB. */
interface SentCommand {
  readonly command: Document;
  readonly isInTransaction: boolean;
}

/** What a sharded cluster would make of a command on a sharded collection. */
export interface ShardVerdict {
  readonly collection: string;
  readonly name: string;
  /** Whether every shard would be asked, because no condition names the key. */
  readonly isBroadcast: boolean;
  /** What mongos would refuse. */
  readonly violations: readonly string[];
}

type Condition = { readonly kind: 'equal' } | { readonly kind: 'any' } | undefined;

/** Undefined for a command on an unsharded collection, and for those that name no documents. */
export function verdictOf({ command, isInTransaction }: SentCommand): ShardVerdict | undefined {
  const [name = ''] = Object.keys(command);
  const collection = String(command[name]);
  const looked = name === 'aggregate' ? lookups(command.pipeline) : [];
  const joined = isInTransaction ? looked.filter((from) => keyOf(from) !== undefined) : [];
  const key = keyOf(collection);
  if (key === undefined && joined.length === 0) return undefined;
  const violations = joined.map((from) => `$lookup from ${from}, which is divided, inside of a transaction`);
  if (key === undefined) return { collection, name, isBroadcast: false, violations };
  const filters = filtersOf(name, command);
  if (filters === undefined) return undefined;
  violations.push(...writeViolations(name, command, key));
  if (name === 'distinct' && isInTransaction) violations.push('distinct inside of a transaction');
  return { collection, name, isBroadcast: !filters.every((filter) => isTargeted(filter, key)), violations };
}

const isReplacement = (update: Document): boolean =>
  !Array.isArray(update) && !Object.keys(update).some((name) => name.startsWith('$'));

/** What the driver sends beside a command when it is large. */
const statementsOf = (sent: Document[] | { readonly documents: Document[] }): Document[] =>
  Array.isArray(sent) ? sent : sent.documents;

function keyOf(collection: string): ShardKey | undefined {
  const decision = Object.hasOwn(SHARD_PLAN, collection) ? SHARD_PLAN[collection] : undefined;
  return decision && 'key' in decision ? decision.key : undefined;
}

/** The conditions by which a command finds its documents. */
function filtersOf(name: string, command: Document): readonly Document[] | undefined {
  switch (name) {
    case 'find':
      return [command.filter ?? {}];
    case 'count':
    case 'distinct':
    case 'findAndModify':
      return [command.query ?? {}];
    case 'aggregate':
      return [command.pipeline[0]?.$match ?? {}];
    case 'update':
      return statementsOf(command.updates).map(({ q, u }: Document) => (isReplacement(u) ? { ...u, ...q } : q));
    case 'delete':
      return statementsOf(command.deletes).map(({ q }: Document) => q);
    case 'insert':
      return statementsOf(command.documents);
    default:
      return undefined;
  }
}

function writeViolations(name: string, command: Document, key: ShardKey): string[] {
  const whole = Object.keys(key);
  const named = whole.join(' and ');
  const hasKey = (filter: Document) => whole.every((field) => conditionOn(filter, field)?.kind === 'equal');
  const hasId = (filter: Document) => conditionOn(filter, '_id')?.kind === 'equal';
  switch (name) {
    case 'insert':
      return statementsOf(command.documents).every((document: Document) => whole.every((field) => field in document))
        ? []
        : [`an insert without ${named}`];
    case 'findAndModify':
      return hasKey(command.query ?? {}) ? [] : [`findAndModify without ${named}`];
    case 'update':
      return statementsOf(command.updates).flatMap(({ q, u, upsert, multi }: Document) => {
        if (changesKey(u, key) && !hasKey(q)) return [`a change of ${named} that does not say what it was`];
        if (upsert) return hasKey(q) ? [] : [`an upsert without ${named}`];
        return multi || hasKey(q) || hasId(q) ? [] : [`an update of one document without ${named} or _id`];
      });
    case 'delete':
      return statementsOf(command.deletes).flatMap(({ q, limit }: Document) =>
        limit === 0 || hasKey(q) || hasId(q) ? [] : [`a deletion of one document without ${named} or _id`],
      );
    default:
      return [];
  }
}

/** A replacement is routed by its own key; an update that sets the key has to name the old one. */
const changesKey = (update: Document, key: ShardKey): boolean =>
  Object.keys(key).some((field) => field !== '_id' && field in (update.$set ?? {}));

/** The first field is enough. */
function isTargeted(filter: Document, key: ShardKey): boolean {
  const [first = ''] = Object.keys(key);
  return conditionOn(filter, first) !== undefined;
}

/** What a filter says about a field: one value, or a few. */
function conditionOn(filter: Document, field: string): Condition {
  if (field in filter) {
    const value: unknown = filter[field];
    if (!isOperators(value)) return { kind: 'equal' };
    if ('$eq' in value) return { kind: 'equal' };
    if ('$in' in value && Array.isArray(value.$in)) return { kind: value.$in.length === 1 ? 'equal' : 'any' };
  }
  for (const part of (filter.$and ?? []) as Document[]) {
    const found = conditionOn(part, field);
    if (found !== undefined) return found;
  }
  const either = (filter.$or ?? []) as Document[];
  return either.length > 0 && either.every((part) => conditionOn(part, field) !== undefined)
    ? { kind: 'any' }
    : undefined;
}

const isOperators = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && Object.keys(value).some((name) => name.startsWith('$'));

function lookups(pipeline: readonly Document[] = []): string[] {
  return pipeline.flatMap((stage) => {
    const { from, pipeline: inner } = (stage.$lookup ?? stage.$unionWith ?? {}) as {
      from?: string;
      pipeline?: Document[];
    };
    return [...(from === undefined ? [] : [from]), ...lookups(inner)];
  });
}
