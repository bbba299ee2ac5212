import { setTimeout as sleep } from 'node:timers/promises';
import { idsOf } from './documents.ts';
import { countFault, type Evidence, type Finding, grouped } from './evidence.ts';

interface StoredWorkspace {
  readonly _id: string;
  readonly body: { readonly description?: string };
  readonly deleting_at?: Date;
}

/** How long a mark of a deletion that died is believed. */
const MARK_MS = 30_000;

/** Every workspace is there once or was deleted, and none is left marked so that it takes nothing any more. */
export async function checkWorkspaces({ db, client, intents, deleted, unsure }: Evidence): Promise<Finding[]> {
  const workspaces = await db.collection<StoredWorkspace>('workspaces').find().toArray();
  const byMark = grouped(workspaces, ({ body }) => body.description ?? '');
  const findings = intents.flatMap((intent): Finding[] => {
    const { claim } = intent;
    if (claim.noun !== 'workspace') return [];
    const [id = ''] = idsOf(intent);
    const found = byMark.get(claim.mark)?.length ?? 0;
    if (unsure.has(id)) return [];
    if (!deleted.has(id)) return countFault(intent, claim.mark, found);
    return found === 0 ? [] : [{ kind: 'wrong', text: `the workspace ${claim.mark} was deleted and is there` }];
  });
  const marked = workspaces.filter(({ deleting_at }) => deleting_at !== undefined);
  const newest = Math.max(0, ...marked.map(({ deleting_at }) => deleting_at?.getTime() ?? 0));
  await sleep(Math.max(0, newest + MARK_MS + 500 - Date.now()));
  for (const { _id } of marked) {
    try {
      await client.ask('POST', `/workspaces/${_id}/jobs`, { body: {} });
    } catch (error) {
      findings.push({ kind: 'wrong', text: `the workspace ${_id} keeps its mark: ${(error as Error).message}` });
    }
  }
  return findings;
}
