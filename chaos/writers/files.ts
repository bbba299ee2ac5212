import { createHash, randomBytes } from 'node:crypto';
import type { World } from '../world.ts';
import { jobOf } from './documents.ts';

/** A file of one or several chunks at a job. */
export async function attachFile(world: World): Promise<void> {
  const { client, random } = world;
  const job = jobOf(world);
  if (!job) return;
  const bytes = randomBytes(random.whole(1, 900_000));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const mark = world.mark('file');
  const form = (): FormData => {
    const parts = new FormData();
    parts.set('description', mark);
    parts.set('file', new Blob([bytes], { type: 'application/pdf' }), `${mark}.pdf`);
    return parts;
  };
  await client.perform({
    kind: 'file',
    claim: { noun: 'file', mark, sha256, parent: job.id },
    method: 'POST',
    path: `/v2/workspaces/${job.workspace}/documents/${job.id}/attachments`,
    form,
  });
}
