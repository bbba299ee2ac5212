import type { Random } from '../../src/demo/random.ts';
import { isAcknowledged } from '../ledger.ts';
import { idsOf } from './documents.ts';
import { describe, type Evidence, type Finding } from './evidence.ts';

const SAMPLE = 300;

/** A request that is sent once more under its key, long after, makes nothing and is answered as it was. */
export async function checkReplays(evidence: Evidence, random: Random): Promise<Finding[]> {
  const { client, intents, deleted, unsure } = evidence;
  const repeatable = intents.filter((intent) => {
    const { claim, method, answer } = intent;
    if (method !== 'POST' && method !== 'PUT') return false;
    if (!isAcknowledged(intent) || !answer || claim.noun === 'session') return false;
    const parent = 'parent' in claim ? [claim.parent ?? ''] : [];
    return ![...idsOf(intent), ...parent].some((id) => deleted.has(id) || unsure.has(id));
  });
  const findings: Finding[] = [];
  for (let i = 0; i < Math.min(SAMPLE, repeatable.length); i++) {
    const intent = random.pick(repeatable);
    const wish = client.wishOf(intent);
    if (!wish) continue;
    const response = await client.repeat(wish, intent.key);
    const text = await response.text();
    const ids = idsOf({
      ...intent,
      answer: { status: response.status, body: JSON.parse(text), headers: response.headers },
    });
    if (response.ok && ids.join() === idsOf(intent).join()) continue;
    const kind = response.ok ? 'doubled' : 'wrong';
    findings.push({
      kind,
      text: `a repeat is answered with ${response.status} ${text.slice(0, 200)}: ${describe(intent)}`,
    });
  }
  return findings;
}
