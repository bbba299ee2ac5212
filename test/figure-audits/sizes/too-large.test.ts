import { BSON, type Document } from 'mongodb';
import { v7 as newId } from 'uuid';
import { expect, it } from 'vitest';
import { startProjectingAudits } from '../../../src/figure-audit-projection/audit-projector.ts';
import { JOB_TYPE } from '../../../src/model/document-types/job.ts';
import type { StoredAudit } from '../../../src/store/figure-audits/kept-audit.ts';
import { isTooLarge } from '../../../src/store/too-large.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { VoyageMaker } from '../voyage-maker.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

const errorOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

it('tells a command that fails by the size of what it writes from others', async () => {
  const rows = service.stores.db.collection<Document & { _id: string }>('large_rows');
  await rows.insertOne({ _id: 'a', text: 'x'.repeat(9_000_000) });
  const doubled = rows.updateOne({ _id: 'a' }, [{ $set: { more: '$text' } }]);
  expect(isTooLarge(await errorOf(doubled))).toBe(true);
  expect(isTooLarge(await errorOf(rows.insertOne({ _id: 'a' })))).toBe(false);
});

/** More than a document of MongoDB may have, in bytes. */
const TOO_LARGE = 16 * 1024 * 1024 + 1;

/** A job that MongoDB stores, of which the audit is larger: control characters in its trip number take six times as much there. */
function largestJob(readers: readonly string[]): Document & { readonly _id: string } {
  const [at, by] = [new Date(), 'a party'];
  const job = (vessel: string) => ({
    ...{
      _id: newId(),
      workspace: workspace.id,
      type: JOB_TYPE,
      readers,
      version_id: newId(),
      revision: 1,
      parent_id: null,
    },
    ...{ created_by: by, created_at: at, modified_by: by, modified_at: at, refs: [], keys: {} },
    body: { activity: 'load', tripNumber: '\u0001'.repeat(1_000), transports: [vessel] },
  });
  return job('x'.repeat(TOO_LARGE - 1 - BSON.calculateObjectSize(job(''))));
}

it('a job of which MongoDB cannot store the audit is left out and named in the log, and others beside it are audited', async () => {
  const warned: unknown[][] = [];
  const log = {
    info: () => undefined,
    warn: (fields: object, message: string) => void warned.push([(fields as { job?: string }).job, message]),
  };
  const make = new VoyageMaker(service, workspace.id);
  const incomplete = () => make.put('job', { status: 'complete', requested: { timelog: true } });
  const large = largestJob((await service.stores.workspaces.byId(workspace.id))?.readers ?? []);
  // The first audit of a database takes all of them together.
  const beside = [await incomplete()];
  await service.stores.db.collection<{ _id: string }>('documents').insertOne(large);
  beside.push(await incomplete());
  const end = startProjectingAudits(service.stores, log);
  await expect.poll(() => service.stores.audits.freshness.passedWithin(1_000), { timeout: 20_000 }).toBe(true);
  beside.push(await incomplete());
  await service.stores.audits.freshness.passed();
  const kept = service.stores.db.collection<StoredAudit>('job_audits');
  const found = await kept.find({ _id: { $in: [large._id, ...beside] } }).toArray();
  expect(new Map(found.map(({ _id, findings }) => [_id, findings.length]))).toEqual(
    new Map(beside.map((id) => [id, 1])),
  );
  expect(new Set(warned.map(String))).toEqual(
    new Set([`${large._id},a job cannot be audited; its last verdict is kept`]),
  );
  await end();
});
