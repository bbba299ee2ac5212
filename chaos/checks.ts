import type { Random } from '../src/demo/random.ts';
import { checkAnswers } from './checks/answers.ts';
import { checkDocuments } from './checks/documents.ts';
import { checkEvents } from './checks/events.ts';
import type { Evidence, Finding } from './checks/evidence.ts';
import { checkFamilies } from './checks/families.ts';
import { checkFiles } from './checks/files.ts';
import { checkOrphans } from './checks/orphans.ts';
import { checkRecords } from './checks/records.ts';
import { checkReplays } from './checks/replays.ts';
import { checkSessions } from './checks/sessions.ts';
import { checkVersions } from './checks/versions.ts';
import { checkWorkspaces } from './checks/workspaces.ts';

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
    orphans: await checkOrphans(evidence),
    sessions: await checkSessions(evidence),
    workspaces: await checkWorkspaces(evidence),
  };
}
