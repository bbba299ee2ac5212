import type { Document } from 'mongodb';
import { isAcknowledged, isAmbiguous } from '../ledger.ts';
import { describe, type Evidence, type Finding, grouped } from './evidence.ts';

const COLLECTIONS = ['documents', 'catalog_records', 'workspaces', 'organizations', 'reference_records', 'attachments'];

interface Version {
  readonly _id: string;
  readonly entity: string;
  readonly revision: number;
  readonly body: Document;
}

/** The versions of one entity, the first one first. */
type Chain = readonly Version[];

/** The versions of every entity are numbered without a gap, and each acknowledged change made one of them. */
export async function checkVersions(evidence: Evidence): Promise<Finding[]> {
  const { chains, findings } = await readChains(evidence);
  for (const intent of evidence.intents) {
    const { claim } = intent;
    if (claim.noun !== 'change' && claim.noun !== 'reference record') continue;
    const isDocument = claim.noun === 'change';
    const chain = isDocument ? chains.get(claim.entity) : chains.get(`reference ${claim.code}`);
    const marks = (chain ?? []).map(({ body }) => String(isDocument ? body.change : body.name));
    const made = marks.filter((mark, index) => mark === claim.mark && marks[index - 1] !== mark).length;
    if (made > 1) findings.push({ kind: 'doubled', text: `${claim.mark} made ${made} versions: ${describe(intent)}` });
    if (made === 0 && isAcknowledged(intent)) {
      findings.push({ kind: 'lost', text: `${claim.mark} made no version: ${describe(intent)}` });
    }
    // A change without a key is refused by its own first try, which may have been made.
    const mayBe = isAcknowledged(intent) || !intent.answer || (isDocument && isAmbiguous(intent));
    if (made === 1 && !mayBe) {
      findings.push({ kind: 'wrong', text: `${claim.mark} was refused and is there: ${describe(intent)}` });
    }
  }
  return findings;
}

async function readChains({ db }: Evidence): Promise<{ chains: Map<string, Chain>; findings: Finding[] }> {
  const findings: Finding[] = [];
  const chains = new Map<string, Chain>();
  const superseded = grouped(await db.collection<Version>('versions').find().toArray(), ({ entity }) => entity);
  for (const name of COLLECTIONS) {
    for await (const { _id, version_id, revision, body, code } of db
      .collection<Document & { _id: string }>(name)
      .find()) {
      const before = superseded.get(_id) ?? [];
      superseded.delete(_id);
      // The present version may have been put there by a change that was not made in the end.
      const old = before.filter((version) => version._id !== version_id);
      const chain = [...old, { _id: version_id, entity: _id, revision, body }].sort((a, b) => a.revision - b.revision);
      const numbers = chain.map((version) => version.revision);
      if (numbers.some((number, index) => number !== index + 1)) {
        findings.push({ kind: 'wrong', text: `the versions of ${name} ${_id} are numbered ${numbers.join(', ')}` });
      }
      chains.set(code === undefined ? _id : `reference ${code}`, chain);
    }
  }
  for (const [entity, versions] of superseded) {
    findings.push({ kind: 'wrong', text: `${versions.length} versions of ${entity}, which is not there` });
  }
  return { chains, findings };
}
