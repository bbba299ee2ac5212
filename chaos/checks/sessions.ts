import { isAcknowledged } from '../ledger.ts';
import { cookieOf } from '../writers/sessions.ts';
import { describe, type Evidence, type Finding } from './evidence.ts';

/** Every session that was acknowledged is good on each gateway, and those that were ended are not. */
export async function checkSessions({ intents, client }: Evidence): Promise<Finding[]> {
  const ended = new Map<string, boolean>();
  for (const intent of intents) {
    if (intent.claim.noun === 'session' && intent.claim.signedOut !== undefined) {
      ended.set(intent.claim.signedOut, intent.answer !== undefined);
    }
  }
  const findings: Finding[] = [];
  for (const intent of intents) {
    if (intent.claim.noun !== 'session' || intent.claim.signedOut !== undefined) continue;
    if (!isAcknowledged(intent) || !intent.answer) continue;
    const cookie = cookieOf(intent.answer.headers);
    if (ended.get(cookie) === false) continue;
    const wanted = ended.has(cookie) ? 401 : 200;
    for (const { url, name } of client.gateways) {
      const { status } = await fetch(`${url}/api/rest/1.0/session`, { headers: { Cookie: cookie } });
      if (status === wanted) continue;
      findings.push({
        kind: wanted === 200 ? 'lost' : 'wrong',
        text: `a session is ${status} at ${name}, not ${wanted}: ${describe(intent)}`,
      });
    }
  }
  return findings;
}
