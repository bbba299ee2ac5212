import type { Partners } from './scenario.ts';
import type { Send } from './scenario-fixture.ts';

const JOB = 'svc.inspection.job';
const QUALITY = 'svc.inspection.qualityResult';

/** Every endpoint of the v2 family. */
export async function runV2Scenario(send: Send, partners: Partners): Promise<void> {
  const workspace = { workspace_id: partners.workspace };
  await runParties(send, partners);
  const job = await runDocuments(send, workspace);
  await send('v2.changes.list', { query: 'limit=1&wait=20' });
  await send('v2.changes.ofWorkspace', { at: workspace, query: 'types=svc.inspection.job&limit=1&wait=20' });
  await runAttachments(send, { ...workspace, document_id: job });
  await runRecords(send, workspace);
  await runWebhooks(send);
  const schema = (await send('v2.schemas.list')).at(-1);
  await send('v2.schemas.get', { at: { schema_id: schema.id } });
  await send('v2.documents.delete', { at: { ...workspace, document_id: job } });
}

async function runWebhooks(send: Send): Promise<void> {
  const as = 'admin';
  const body = {
    url: 'https://receiver.example/hooks',
    description: 'Our terminal system',
    event_types: ['job.completed'],
  };
  const { id } = await send('v2.webhooks.create', { as, body });
  const at = { webhook_id: id };
  await send('v2.webhooks.list', { as });
  await send('v2.webhooks.get', { as, at });
  await send('v2.webhooks.rotate', { as, at });
  const ping = await send('v2.webhooks.ping', { as, at });
  await send('v2.webhooks.retry', { as, at: { ...at, delivery_id: ping.id } });
  await send('v2.webhooks.deliveries', { as, at });
  await send('v2.webhooks.update', { as, at, body: { enabled: false } });
  await send('v2.webhooks.replay', { as, at, body: { after: '0' } });
  await send('v2.webhooks.delete', { as, at });
}

async function runParties(send: Send, { client, vendor, workspace }: Partners): Promise<void> {
  const at = { workspace_id: workspace };
  await send('v2.organizations.list', { query: 'name=harbour&category=inspector' });
  await send('v2.organizations.get', { at: { organization_id: vendor } });
  await send('v2.organizations.update', {
    at: { organization_id: client },
    body: { body: { name: 'Kestrel Oil Ltd' } },
  });
  const left = await send('v2.organizations.create', { body: { name: 'Kestrel Trading' } });
  await send('v2.organizations.delete', { at: { organization_id: left.id } });
  await send('v2.workspaces.list', { query: `filter[body.parties.vendor.id]=${vendor}` });
  await send('v2.workspaces.get', { at });
  await send('v2.workspaces.update', { at, body: { body: { description: 'North Sea and Baltic' } } });
  const parties = { client: { id: client }, vendor: { id: vendor } };
  const empty = await send('v2.workspaces.create', { body: { body: { description: 'By mistake', parties } } });
  await send('v2.workspaces.delete', { at: { workspace_id: empty.id } });
}

/** A job and its reports; returns the job's id. */
async function runDocuments(send: Send, at: Readonly<Record<string, string>>): Promise<string> {
  const body = {
    refNumber: 'KST-2041',
    tripNumber: 'V-118',
    status: 'pending',
    activity: 'discharge',
    eta: '2026-05-03T06:00:00Z',
    location: { xref: 'NLRTM', name: 'Rotterdam' },
    transports: [{ xref: '9074729', name: 'MT Petrel' }],
    cargo: { product: { name: 'Gas oil 0.1%' }, quantity: 30_000, uom: { name: 'MT' } },
    requested: { quality: true, quantity: true, timelog: true },
  };
  const job = await send('v2.documents.create', { at, name: 'job', body: { type: JOB, body } });
  const document = { ...at, document_id: job.id };
  await send('v2.documents.get', { at: document });
  const patch = { previous_version_id: job.version_id, body: { status: 'active', notes: 'Berth 12' } };
  await send('v2.documents.update', { as: 'vendor', at: document, body: patch });
  const sample = { status: 'preliminary', setNumber: 1, sample: { refNumber: 'S-1', location: 'SHIP' } };
  const density = { test: { name: 'Density at 15 °C' }, method: { name: 'ASTM D4052' }, uom: { name: 'kg/m3' } };
  const flash = { test: { name: 'Flash point' }, method: { name: 'ASTM D93' }, uom: { name: 'C' } };
  const results = [
    { parent: job.id, ...sample, ...density, result: '845.3' },
    { parent: job.id, ...sample, ...flash, resultOperator: 'gte', result: '66.5' },
  ];
  const [result] = await send('v2.documents.createMany', { as: 'vendor', at, body: { type: QUALITY, body: results } });
  const third = { parent: job.id, ...sample, ...density, setNumber: 2, result: '845.1' };
  await send('v2.documents.create', { as: 'vendor', at, name: 'quality result', body: { type: QUALITY, body: third } });
  await send('v2.documents.get', { at: { ...at, document_id: result.id } });
  await send('v2.documents.list', { at, query: `type=${QUALITY}&filter[status]=preliminary&sort=created_at:asc` });
  return job.id;
}

async function runAttachments(send: Send, at: Readonly<Record<string, string>>): Promise<void> {
  const fields = { vendorReferenceNumber: 'COA-2041', description: 'Certificate of analysis' };
  const form = { file: 'Density at 15 °C: 845.3 kg/m3', fields };
  const { id } = await send('v2.attachments.create', { as: 'vendor', at, form });
  const each = { ...at, attachment_id: id };
  await send('v2.attachments.list', { at });
  await send('v2.attachments.get', { at: each });
  await send('v2.attachments.content', { at: each });
  await send('v2.attachments.delete', { as: 'vendor', at: each });
}

async function runRecords(send: Send, workspace: Readonly<Record<string, string>>): Promise<void> {
  const at = { ...workspace, xtype: 'locations' };
  const record = await send('v2.xrefs.create', { at, body: { name: 'Port of Antwerp', xref: 'BEANR' } });
  const other = await send('v2.xrefs.create', { as: 'vendor', at, body: { name: 'Antwerpen' } });
  const each = { ...at, id: record.id };
  const pair = { ...at, xref_id: record.id, linked_item_id: other.id };
  await send('v2.xrefs.list', { at, query: 'limit=2' });
  await send('v2.xrefs.get', { at: each });
  await send('v2.xrefs.update', { at: each, body: { body: { name: 'Antwerp' } } });
  await send('v2.synonyms.link', { at: pair });
  await send('v2.synonyms.link', { at: pair, name: 'there already' });
  await send('v2.synonyms.list', { at, query: 'xtype=locations' });
  await send('v2.synonyms.listOfRecord', { at: pair });
  await send('v2.synonyms.unlink', { at: pair });
  await send('v2.xrefs.delete', { at: each });
}
