import { setTimeout as sleep } from 'node:timers/promises';
import type { World } from '../world.ts';

/** A workspace; some are deleted again, while a job is on its way into them. */
export async function openWorkspace(world: World): Promise<void> {
  const { client, random, organizations } = world;
  const mark = world.mark('workspace');
  const parties = { client: { id: organizations.client }, vendor: { id: organizations.vendor } };
  const made = await client.perform({
    kind: 'workspace',
    claim: { noun: 'workspace', mark },
    method: 'POST',
    path: '/v2/workspaces',
    body: { description: mark, parties },
  });
  if (made?.status !== 201 || random.chance(0.3)) return;
  const path = `/v2/workspaces/${made.body.id}`;
  const job = world.mark('contested');
  const late = client.perform({
    kind: 'job, contested',
    claim: { noun: 'documents', marks: [job] },
    method: 'POST',
    path: `${path}/documents`,
    body: {
      type: 'svc.inspection.job',
      body: { refNumber: job, chaos: job, ...(random.chance(0.5) && { transports: [{ name: job }] }) },
    },
  });
  await sleep(random.whole(0, 20));
  const claim = { noun: 'deletion', entity: made.body.id } as const;
  await Promise.all([late, client.perform({ kind: 'workspace, deleted', claim, method: 'DELETE', path })]);
}
