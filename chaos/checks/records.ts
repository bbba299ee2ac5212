import { isAcknowledged } from '../ledger.ts';
import { countFault, type Evidence, type Finding, grouped } from './evidence.ts';

interface StoredRecord {
  readonly _id: string;
  readonly workspace: string;
  readonly xtype: string;
  readonly owner: string;
  readonly name_key: string;
  readonly xref?: string;
}

/** Catalog records and their links are there once, also those that many asked for at the same moment. */
export async function checkRecords({ db, intents }: Evidence): Promise<Finding[]> {
  const records = await db.collection<StoredRecord>('catalog_records').find().toArray();
  const byXref = grouped(records, ({ xref }) => xref ?? '');
  const pairs = grouped(
    await db.collection<{ _id: string; pair: string }>('synonyms').find().toArray(),
    ({ pair }) => pair,
  );
  const unlinked = new Set<string>();
  for (const { claim } of intents) if (claim.noun === 'synonym' && claim.unlinked) unlinked.add(claim.items.join(' '));
  const findings = intents.flatMap((intent): Finding[] => {
    const { claim } = intent;
    if (claim.noun === 'catalog record') return countFault(intent, claim.xref, byXref.get(claim.xref)?.length ?? 0);
    if (claim.noun !== 'synonym') return [];
    const pair = claim.items.join(' ');
    const found = pairs.get(pair)?.length ?? 0;
    if (!claim.unlinked) return unlinked.has(pair) ? [] : countFault(intent, `the synonym ${pair}`, found);
    if (!isAcknowledged(intent) || found === 0) return [];
    return [{ kind: 'wrong', text: `the synonym ${pair} was unlinked and is there` }];
  });
  const named = grouped(records, ({ workspace, xtype, owner, name_key }) =>
    [workspace, xtype, owner, name_key].join(' '),
  );
  for (const [name, same] of named) {
    if (same.length > 1) findings.push({ kind: 'doubled', text: `${same.length} catalog records are ${name}` });
  }
  return findings;
}
