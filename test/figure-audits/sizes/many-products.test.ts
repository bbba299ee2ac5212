import { v7 as newId } from 'uuid';
import { beforeAll, expect, it } from 'vitest';
import { startProjectingAudits } from '../../../src/figure-audit-projection/audit-projector.ts';
import { JOB_TYPE } from '../../../src/model/document-types/job.ts';
import type { StoredDocument } from '../../../src/model/entity/entity.ts';
import type { StoredAudit } from '../../../src/store/figure-audits/kept-audit.ts';
import { commandsDuring } from '../../profile.ts';
import { makeWorkspace, serviceFixture } from '../../service.ts';

const service = serviceFixture();
const log = { info: () => undefined, warn: () => undefined };
const audits = () => service.stores.db.collection<StoredAudit>('job_audits');
const documents = () => service.stores.db.collection<StoredDocument>('documents');
const PRODUCTS = 400;
let workspace: string;
let readers: readonly string[];

beforeAll(async () => {
  workspace = (await makeWorkspace(service)).id;
  readers = (await service.stores.workspaces.byId(workspace))?.readers ?? [];
});

function jobOf(product: string): StoredDocument {
  const [at, by] = [new Date(), 'a party'];
  return {
    ...{ _id: newId(), workspace, type: JOB_TYPE, readers, version_id: newId(), revision: 1, parent_id: null },
    ...{ created_by: by, created_at: at, modified_by: by, modified_at: at, refs: [], keys: {} },
    body: { status: 'active', activity: 'load', cargo: { product } },
  };
}

async function productsOf(count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  const made = new Date();
  await service.stores.db.collection<{ _id: string }>('catalog_records').insertMany(
    ids.map((_id) => ({
      _id,
      workspace,
      readers,
      xtype: 'products',
      type: 'catalog',
      created_at: made,
      modified_at: made,
      body: { name: _id },
    })) as never,
  );
  return ids;
}

it('products of which no job has percentages are found together, however many are new at once', async () => {
  const ends = startProjectingAudits(service.stores, log);
  await service.stores.audits.freshness.passed();
  const products = await productsOf(PRODUCTS);
  const commands = await commandsDuring(service, async () => {
    await documents().insertMany(products.map(jobOf));
    await service.stores.audits.freshness.passed();
  });
  expect(await audits().countDocuments({ workspace })).toBe(PRODUCTS);
  expect(commands.filter(({ ns }) => String(ns).endsWith('.catalog_records')).length).toBeLessThan(PRODUCTS / 4);
  await ends();
});
