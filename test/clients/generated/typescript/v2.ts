// An inspection by the client that @hey-api/openapi-ts generates from /openapi/v2.json.
import { deepEqual, equal } from 'node:assert/strict';
import { client } from './generated/v2/client.gen.ts';
import * as api from './generated/v2/index.ts';

client.setConfig({ baseUrl: process.env.EXCHANGE_URL ?? '', auth: 'demo-client-key', throwOnError: true });
const vendor = { auth: 'demo-vendor-key', throwOnError: true } as const;
const mine = { throwOnError: true } as const;
const mark = crypto.randomUUID();

const ours = await api.v2OrganizationsCreate({ ...mine, body: { name: `Kestrel Oil ${mark}`, category: 'shipper' } });
const theirs = await api.v2OrganizationsCreate({ ...vendor, body: { body: { name: `Harbour Surveys ${mark}` } } });
const parties = { client: { id: ours.data.id }, vendor: { id: theirs.data.id } };
const workspace = await api.v2WorkspacesCreate({ ...mine, body: { description: 'North Sea', parties } });
const at = { workspace_id: workspace.data.id };

const headers = { 'Idempotency-Key': mark };
const body = { refNumber: 'KST-1', status: 'pending', transports: [{ name: 'MT Petrel' }] };
const sent = { ...mine, path: at, headers, body: { type: 'svc.inspection.job', body } } as const;
const job = await api.v2DocumentsCreate(sent);
const again = await api.v2DocumentsCreate(sent);
equal(again.data.id, job.data.id);
equal(again.response.headers.get('Idempotency-Replayed'), 'true');

const sample = { parent: job.data.id, status: 'preliminary', setNumber: 1, sample: { location: 'SHIP' } };
const density = { test: { name: 'Density' }, method: { name: 'ASTM D4052' }, uom: { name: 'kg/m3' }, result: '845.3' };
const results = [1, 2].map((testNumber) => ({ ...sample, ...density, testNumber }));
const type = 'svc.inspection.qualityResult';
const made = await api.v2DocumentsCreateMany({ ...vendor, path: at, body: { type, body: results } });
equal(made.data.length, 2);
const listed = await api.v2DocumentsList({
  ...mine,
  path: at,
  query: { type, filter: { 'body.status': 'preliminary' }, sort: 'body.testNumber:desc', limit: 1 },
});
deepEqual(
  listed.data.map(({ id }) => id),
  [made.data[1]?.id],
);

const each = { ...at, document_id: job.data.id };
const file = new File([crypto.getRandomValues(new Uint8Array(50_000))], 'certificate of analysis.pdf', {
  type: 'application/pdf',
});
const attachment = await api.v2AttachmentsCreate({ ...vendor, path: each, body: { file, description: 'COA' } });
equal(attachment.data.body.format, 'application/pdf');
const content = await api.v2AttachmentsContent({
  ...mine,
  path: { ...each, attachment_id: attachment.data.id },
  parseAs: 'arrayBuffer',
});
deepEqual(Buffer.from(content.data as unknown as ArrayBuffer), Buffer.from(await file.arrayBuffer()));

const patch = { previous_version_id: job.data.version_id, body: { status: 'complete' } };
const patched = await api.v2DocumentsUpdate({ ...vendor, path: each, body: patch });
equal(patched.data.body.status, 'complete');
const stale = await api.v2DocumentsUpdate({ path: each, body: patch, throwOnError: false });
equal(stale.error?.code, 'VERSION_CONFLICT');
const unchanged = await api.v2DocumentsGet({
  path: each,
  headers: { 'If-None-Match': `"${patched.data.version_id}"` },
  throwOnError: false,
});
equal(unchanged.response?.status, 304);
