import { createHash } from 'node:crypto';
import { KEYS } from '../client.ts';
import { countFault, describe, type Evidence, type Finding, grouped } from './evidence.ts';

interface StoredAttachment {
  readonly _id: string;
  readonly workspace: string;
  readonly parent_id: string;
  readonly body: { readonly description?: string };
}

/** Every file that was acknowledged is there once, and comes back by REST as it was sent. */
export async function checkFiles({ db, intents, client }: Evidence): Promise<Finding[]> {
  const stored = await db.collection<StoredAttachment>('attachments').find().toArray();
  const byMark = grouped(stored, ({ body }) => body.description ?? '');
  const findings: Finding[] = [];
  for (const intent of intents) {
    const { claim } = intent;
    if (claim.noun !== 'file') continue;
    const found = byMark.get(claim.mark) ?? [];
    findings.push(...countFault(intent, claim.mark, found.length));
    const [one] = found;
    if (!one) continue;
    const gateway = client.gateways[intent.number % client.gateways.length];
    const path = `/v2/workspaces/${one.workspace}/documents/${one.parent_id}/attachments/${one._id}/content`;
    const response = await fetch(`${gateway?.url}${path}`, { headers: { Authorization: `Bearer ${KEYS.client}` } });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    if (response.status === 200 && sha256 === claim.sha256) continue;
    findings.push({
      kind: 'lost',
      text: `${claim.mark} comes back with ${response.status} and ${sha256}: ${describe(intent)}`,
    });
  }
  return findings;
}
