// The trade of src/demo/, as many times as are wanted: the same cargoes under other numbers and earlier dates.
import { putDemoPrincipals } from '../../src/demo/principals.ts';
import { DEMO_IDS, storedTrade } from '../../src/demo/stored-trade.ts';
import { TRADE_DATE, tradeOf } from '../../src/demo/trade.ts';
import { derivedParts, documentKind } from '../../src/domain/documents/document-kind.ts';
import type { StoredDocument } from '../../src/model/entity/entity.ts';
import { keyedFieldsOfType } from '../../src/model/fields/fields.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Stores } from '../../src/store/stores.ts';

/** The jobs of one workspace at most; further ones go to the other two. */
export const IN_ONE_WORKSPACE = 100_000;
/** The jobs of the trade that is repeated; a third of them is in each workspace. */
const TEMPLATE = 15_000;
/** The jobs of it that have results: about half a result for each job. */
const REPORTED = 700;
const BATCH = 2_000;
const DAY = 24 * 60 * 60_000;

/** How much of everything was written. */
export interface Filled {
  readonly jobs: number;
  readonly inWorkspace: number;
  readonly results: number;
}

/** Fills an empty database with that many jobs and their results, and says how far it is. */
export async function fillScale(stores: Stores, jobs: number, log: (line: string) => void): Promise<Filled> {
  await putDemoPrincipals(stores, TRADE_DATE);
  const trade = storedTrade(stores, tradeOf({ seed: 1, jobs: TEMPLATE, reported: REPORTED }));
  await stores.organizations.insertMany(trade.organizations);
  await stores.workspaces.insertMany(trade.workspaces);
  await stores.catalogRecords.insertMany(trade.catalogRecords);
  const inWorkspace = Math.min(jobs, IN_ONE_WORKSPACE);
  const [main, ...others] = DEMO_IDS.workspaces;
  const shares = [
    { workspace: main, count: inWorkspace },
    ...others.map((workspace) => ({ workspace, count: Math.floor((jobs - inWorkspace) / others.length) })),
  ];
  let written = 0;
  let results = 0;
  for (const { workspace, count } of shares) {
    const originals = trade.documents.filter((one) => one.workspace === workspace && one.body.refNumber !== undefined);
    const below = Map.groupBy(trade.results, ({ parent_id }) => parent_id);
    for (let copy = 0, left = count; left > 0; copy++) {
      const taken = originals.slice(-left);
      left -= taken.length;
      const made = taken.flatMap((job) => [job, ...(below.get(job._id) ?? [])]).map((one) => copyOf(one, copy));
      for (let at = 0; at < made.length; at += BATCH) await stores.documents.insertMany(made.slice(at, at + BATCH));
      written += taken.length;
      results += made.length - taken.length;
      log(`  ${written} of ${jobs} jobs`);
    }
  }
  return { jobs: written, inWorkspace, results };
}

/** The same document some months earlier, with numbers and ids of its own. */
function copyOf({ sender: _none, ...one }: StoredDocument, copy: number): StoredDocument {
  if (copy === 0) return one;
  const kind = documentKind(one.type);
  const earlier = (time: Date): Date => new Date(time.getTime() - copy * 100 * DAY);
  const body: Record<string, unknown> = { ...one.body };
  for (const { name, datetime } of keyedFieldsOfType(kind.type)) {
    if (datetime && typeof body[name] === 'string') body[name] = earlier(new Date(body[name])).toISOString();
  }
  if (typeof body.refNumber === 'string') {
    body.refNumber = body.refNumber.replace(/\d+$/, (digits) =>
      String(Number(digits) + copy * TEMPLATE).padStart(5, '0'),
    );
    body.xref = `PO-${Number(String(body.xref).slice(3)) + copy * TEMPLATE * 7}`;
  }
  const id = (of: string): string =>
    of.slice(0, -4) + ((Number.parseInt(of.slice(-4), 16) + copy) % 65_536).toString(16).padStart(4, '0');
  if (one.parent_id) body.parent = id(one.parent_id);
  return {
    ...one,
    _id: id(one._id),
    version_id: id(one.version_id),
    parent_id: one.parent_id && id(one.parent_id),
    created_at: earlier(one.created_at),
    modified_at: earlier(one.modified_at),
    body: body as JsonObject,
    ...derivedParts(kind, body as JsonObject, one.refs),
  };
}
