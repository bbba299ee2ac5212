// An inspection by the client that @hey-api/openapi-ts generates from /openapi/legacy.json.
import { deepEqual, equal } from 'node:assert/strict';
import { client } from './generated/legacy/client.gen.ts';
import * as api from './generated/legacy/index.ts';

client.setConfig({ baseUrl: process.env.EXCHANGE_URL ?? '', auth: 'demo-client-key', throwOnError: true });
const vendor = { auth: 'demo-vendor-key', throwOnError: true } as const;
const mine = { throwOnError: true } as const;
const at = { workspace_id: process.env.WORKSPACE ?? '' };

const location = await api.legacyCatalogsCreate({
  ...mine,
  path: { ...at, catalog: 'locations' },
  body: { name: 'Europoort', xref: 'NLEUR' },
});
const job = await api.legacyJobsCreate({
  ...mine,
  path: at,
  body: {
    refNumber: 'KST-2',
    status: 'pending',
    activity: 'discharge',
    eta: '2026-05-04T06:00:00Z',
    location: location.data.id,
    cargo: { product: { name: 'Naphtha' }, quantity: 12_500.5, uom: { name: 'MT' } },
  },
});
equal(job.data.body.location, location.data.id);
const each = { ...at, job_id: job.data.id };

const quality = await api.legacyQualityCreate({
  ...vendor,
  path: each,
  body: { status: 'preliminary', setNumber: 1, test: { name: 'Sulfur' }, result: '962', resultOperator: 'eq' },
});
const quantity = await api.legacyQuantityCreate({
  ...vendor,
  path: each,
  body: { direction: 'source', measurements: [{ name: 'GSV', uom: { name: 'm3' }, value: 17_384.2 }] },
});
const event = await api.legacyTimelogCreate({
  ...vendor,
  path: each,
  body: { category: 'delay', start: '2026-05-04T06:10:00Z', end: '2026-05-04T09:40:00Z' },
});
const port = await api.legacyLoadPortInformationCreate({
  ...vendor,
  path: each,
  body: { billOfLadingDate: '2026-04-20', portOfLoading: { name: 'Ras Tanura' } },
});
for (const made of [quality, quantity, event, port]) equal(made.data.body.parent, job.data.id);

const file = new File([crypto.getRandomValues(new Uint8Array(50_000))], 'certificate.pdf', { type: 'application/pdf' });
const uploaded = await api.legacyFilesCreate({ ...vendor, path: each, body: { file } });
const content = await api.legacyFilesContent({
  ...mine,
  path: { ...each, file_id: uploaded.data.id },
  parseAs: 'arrayBuffer',
});
deepEqual(Buffer.from(content.data as unknown as ArrayBuffer), Buffer.from(await file.arrayBuffer()));

const confirmed = await api.legacyQualityUpdate({
  ...vendor,
  path: { ...each, quality_id: quality.data.id },
  body: { status: 'confirmed', notes: null },
});
equal(confirmed.data.status, 'confirmed');
await api.legacyJobsUpdate({ ...vendor, path: each, body: { status: 'complete' } });
const listed = await api.legacyJobsList({
  ...mine,
  path: at,
  query: { refNumber: ['KST-2'], status: ['complete', 'cancelled'] },
});
deepEqual(
  listed.data.map(({ id }) => id),
  [job.data.id],
);
const refused = await api.legacyQuantityCreate({ path: each, body: { direction: 'source' }, throwOnError: false });
equal(refused.error?.code, 'DUPLICATE_DIRECTION');
