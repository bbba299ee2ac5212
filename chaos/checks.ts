import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../src/demo/random.ts';
import { checkAnswers } from './checks/answers.ts';
import { checkDeliveries } from './checks/deliveries.ts';
import { checkDocuments } from './checks/documents.ts';
import { checkEvents } from './checks/events.ts';
import type { Evidence, Finding } from './checks/evidence.ts';
import { checkFamilies } from './checks/families.ts';
import { checkFiles } from './checks/files.ts';
import { checkOrphans } from './checks/orphans.ts';
import { checkRecords } from './checks/records.ts';
import { checkReplays } from './checks/replays.ts';
import { checkSessions } from './checks/sessions.ts';
import { checkVerification } from './checks/verification.ts';
import { checkVersions } from './checks/versions.ts';
import { checkWorkspaces } from './checks/workspaces.ts';

/** How long the service takes to look again below what was deleted, and some more. */
const SWEEP_MS = 120_000;

/**
 * What a killed gateway left below something that was deleted is erased a minute later: where there is such a thing, it is
 * waited for.
 */
export async function untilSwept(
  evidence: Evidence,
  { say, isDueAtOnce }: { readonly say: (line: string) => void; readonly isDueAtOnce: boolean },
): Promise<void> {
  const left = [...(await checkDocuments(evidence)), ...(await checkOrphans(evidence))];
  if (left.length === 0) return;
  say(`${left.length} things are left half done; they are waited for.`);
  const erasures = evidence.db.collection('erasures');
  // Nobody writes any more, so that there is nothing left to wait a minute for.
  if (isDueAtOnce) await erasures.updateMany({ looked: false }, [{ $set: { due: '$$NOW' } }]);
  for (const end = performance.now() + SWEEP_MS; performance.now() < end; await sleep(1_000)) {
    if ((await erasures.countDocuments({ looked: false })) === 0) return;
  }
}

/** Looks at everything that was promised: what is wrong, by the name of the check. */
export async function checkAll(evidence: Evidence, random: Random): Promise<Record<string, Finding[]>> {
  return {
    answers: checkAnswers(evidence),
    replays: await checkReplays(evidence, random),
    documents: await checkDocuments(evidence),
    families: await checkFamilies(evidence),
    versions: await checkVersions(evidence),
    records: await checkRecords(evidence),
    files: await checkFiles(evidence),
    events: await checkEvents(evidence),
    deliveries: await checkDeliveries(evidence),
    orphans: await checkOrphans(evidence),
    verification: await checkVerification(evidence),
    sessions: await checkSessions(evidence),
    workspaces: await checkWorkspaces(evidence),
  };
}
