import fc from 'fast-check';
import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import { TIMELOG_TYPE } from '../../src/model/document-types/timelog.ts';
import type { StoredDocument } from '../../src/model/entity/entity.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { StoredAudit } from '../../src/store/figure-audits/kept-audit.ts';
import '../property-seed.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { keptAndWanted } from './kept-and-wanted.ts';

const service = serviceFixture({ audits: true });
const workspace = workspaceFixture(service);
let readers: readonly string[];

beforeAll(async () => {
  readers = (await service.stores.workspaces.byId(workspace.id))?.readers ?? [];
  await service.stores.audits.freshness.passed();
});

const documents = () => service.stores.db.collection<StoredDocument>('documents');
const audits = () => service.stores.db.collection<StoredAudit>('job_audits');
const audited = () => service.stores.audits.freshness.passed();

/** Complete, with nothing reported of what was requested. */
const LACKING = { status: 'complete', activity: 'load', requested: { timelog: true } };

function stored(type: string, { _id = newId(), parent, ...body }: JsonObject & { readonly _id?: string }) {
  const [at, by] = [new Date(), 'a party'];
  return {
    ...{ _id, workspace: workspace.id, type, readers, version_id: newId(), revision: 1 },
    ...{ parent_id: typeof parent === 'string' ? parent : null, created_by: by, created_at: at },
    ...{ modified_by: by, modified_at: at, body, refs: [], keys: {} },
  };
}
const jobOf = (body: JsonObject = LACKING): StoredDocument => stored(JOB_TYPE, body);
const reportOf = (parent: string): StoredDocument => stored(TIMELOG_TYPE, { parent });

const inTransaction = (all: readonly StoredDocument[]) =>
  service.stores.db.client.withSession((session) =>
    session.withTransaction(() => documents().insertMany([...all], { session })),
  );

describe('the audit of a new job', () => {
  it('includes a report from the next batch of changes, or from the one before', async () => {
    const [job, other] = [jobOf(), jobOf()];
    await documents().insertOne(other);
    const between = Array.from({ length: 1_100 }, () => reportOf(other._id));
    await inTransaction([job, ...between, reportOf(job._id)]);
    const late = jobOf();
    await documents().insertOne(reportOf(late._id));
    await audited();
    await documents().insertOne(late);
    const { found, wanted } = await keptAndWanted(service);
    expect(found).toEqual(wanted);
    const passed = await audits()
      .find({ _id: { $in: [job._id, other._id, late._id] }, findings: [] })
      .toArray();
    expect(passed.length).toBe(3);
  });

  it('reflects the final state of the job, in whatever order it and its reports were written', async () => {
    const body = fc.record(
      {
        ...{ status: fc.constantFrom('complete', 'complete', 'complete', 'active'), activity: fc.constantFrom('load') },
        requested: fc.constantFrom({ timelog: true }, { timelog: true }, { quality: true }),
        tripNumber: fc.constantFrom('1', ' 1 A', 7, 7.5, ''),
        transports: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
        cargo: fc.record({ product: fc.constantFrom('p', 'q') }),
      },
      { requiredKeys: ['status', 'requested'] },
    );
    const does = fc.constantFrom('make', 'make with its report', 'change', 'remove', 'report', 'move a report', 'wait');
    const step = fc.record({ does, which: fc.nat(2), body });
    const property = fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
      await documents().deleteMany({});
      const ids = [newId(), newId(), newId()];
      for (const { does, which, body } of steps) {
        const [id = '', next = ''] = [ids[which], ids[(which + 1) % ids.length]];
        const isThere = (await documents().findOne({ _id: id })) !== null;
        const { _id, ...job } = jobOf({ _id: id, ...(body as JsonObject) });
        if (does === 'wait') await audited();
        else if (!isThere) {
          if (does.startsWith('make'))
            await inTransaction([{ _id, ...job }, reportOf(id)].slice(0, does === 'make' ? 1 : 2));
        } else if (does === 'change') await documents().replaceOne({ _id }, job);
        else if (does === 'report') await documents().insertOne(reportOf(id));
        else if (does === 'remove') {
          await documents().deleteMany({ parent_id: id });
          await documents().deleteOne({ _id });
        } else if (does === 'move a report') {
          const report = await documents().findOne({ parent_id: next });
          if (report) await documents().replaceOne({ _id: report._id }, { ...report, parent_id: id });
        }
      }
      const { found, wanted } = await keptAndWanted(service);
      expect(found).toEqual(wanted);
    });
    await fc.assert(property, { numRuns: 40 });
  });
});
