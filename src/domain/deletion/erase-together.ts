import type { RawEntity } from '../../store/entities/read-entity.ts';
import type { Stores } from '../../store/stores.ts';
import { JoinedWork } from '../../store/transactions/joined-work.ts';
import type { RequestContext } from '../request/request-context.ts';
import { eraseTraced } from './erase-traced.ts';
import { eraseLate, eraseTree, hasAnyBelow, type Roots } from './erase-tree.ts';
import { MOST_BYTES, MOST_VERSIONS } from './erasure-batch.ts';

/** The most deletions that share a transaction. */
const MOST_TOGETHER = 50;
/** The limits of each, which together do not exceed those of a single deletion. */
const SMALL_BYTES = MOST_BYTES / MOST_TOGETHER;
const FEW_VERSIONS = MOST_VERSIONS / MOST_TOGETHER;

/** A requested deletion, with the document as the request read it. */
interface Asked {
  readonly ctx: RequestContext;
  readonly document: RawEntity;
}

/** True if a deletion erased its document, false if another change came first; absent if it must be done alone. */
type Outcomes = ReadonlyMap<Asked, boolean>;

/** The deletions in progress in this process, by workspace. */
const underWay = new WeakMap<Stores, JoinedWork<Asked, Outcomes>>();

/**
 * Erases a document with everything below it if it is unchanged since it was read; otherwise undefined. Concurrent deletions of small
 * documents without anything below them share one transaction; if that fails, each runs in its own.
 */
export async function eraseDocument(ctx: RequestContext, document: RawEntity): Promise<true | undefined> {
  const stores = ctx.writeStores();
  if (!isSmall(document)) return eraseTree(ctx, document);
  const joined = underWay.get(stores) ?? new JoinedWork(MOST_TOGETHER, (all) => eraseTogether(stores, all));
  underWay.set(stores, joined);
  const asked = { ctx, document };
  const isErased = (await joined.with(String(document.partition), asked)).get(asked);
  return isErased === undefined ? eraseTree(ctx, document) : isErased || undefined;
}

/** A document that was fenced by a transaction usually has something below it. */
const isSmall = (document: RawEntity): boolean =>
  document.byteLength <= SMALL_BYTES && document.revision <= FEW_VERSIONS && document.stored('held') === undefined;

async function eraseTogether(stores: Stores, all: readonly Asked[]): Promise<Outcomes> {
  if (all.length === 1) return new Map();
  const byId = new Map(all.map((asked) => [asked.document.id, asked]));
  // Of several deletions of the same document, one runs and the others report false.
  const outcomes = new Map(all.flatMap((asked) => (byId.get(asked.document.id) === asked ? [] : [[asked, false]])));
  const erased = await eraseAll(stores, await withoutAnyBelow(stores, [...byId.values()]));
  for (const [asked, isErased] of erased) outcomes.set(asked, isErased);
  return outcomes;
}

/** The deletions whose documents have nothing below them: usually all, which one query shows. */
async function withoutAnyBelow(stores: Stores, all: readonly Asked[]): Promise<readonly Asked[]> {
  const isBelow = (some: readonly Asked[]) => hasAnyBelow(stores, rootsOf(some));
  if (!(await isBelow(all))) return all;
  const parents = await Promise.all(all.map((asked) => isBelow([asked])));
  return all.filter((_, index) => !parents[index]);
}

const rootsOf = (all: readonly Asked[]): Roots => ({
  ids: all.map(({ document }) => document.id),
  workspace: all[0]?.document.partition ?? null,
});

/** A shared transaction was refused; its deletions may still succeed one by one. */
class NotTogether extends Error {}

/**
 * Erases all documents that are unchanged since they were read, in one transaction; if that is refused, erases none and returns no
 * outcomes.
 */
async function eraseAll(stores: Stores, all: readonly Asked[]): Promise<Outcomes> {
  const [first] = all;
  if (!first || all.length === 1) return new Map();
  const { documents: collection, erasures } = stores;
  const { ids, workspace } = rootsOf(all);
  const byId = new Map(all.map((asked) => [asked.document.id, asked]));
  const sourceOf = (id: string) => (byId.get(id) ?? first).ctx.source;
  const match = { _id: ids, workspace, version_id: all.map(({ document }) => document.versionId), held: null };
  const erasing = stores.transaction(async (tx) => {
    try {
      const listed = erasures.add(ids.map((id) => ({ noun: 'documents', ids: [id], workspace })));
      listed.catch(() => undefined); // awaited in any case, but later
      const taken = await eraseTraced(stores, { collection, match }, { sourceOf, at: first.ctx.sources.now(), tx });
      await listed;
      return taken;
    } catch (cause) {
      throw new NotTogether('Deletions were refused together.', { cause });
    }
  });
  const erased = await erasing.catch((error: unknown) => {
    if (error instanceof NotTogether) return undefined;
    throw error;
  });
  if (!erased) return new Map();
  const each = erased.map((id) => [id]);
  await eraseLate(stores, { ids: erased, workspace }, each).catch(() => undefined); // the sweep of erasures does it then
  const gone = new Set(erased);
  return new Map(all.map((asked) => [asked, gone.has(asked.document.id)]));
}
