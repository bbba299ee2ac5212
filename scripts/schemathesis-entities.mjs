// The entities that schemathesis tests against: their ids are in most of its paths, since random ids would find nothing.

/** The path parameters of a family: the id of an entity that stays, and of one that may be deleted. */
export async function entitiesOf(family, { address, key }) {
  const entities = { legacy, v2 }[family];
  return entities === undefined ? {} : entities((...asked) => request({ address, key }, ...asked));
}

async function request({ address, key }, method, path, body) {
  const isForm = body instanceof FormData;
  const headers = { Authorization: `Bearer ${key}`, ...(body && !isForm && { 'Content-Type': 'application/json' }) };
  const answer = await fetch(address + path, { method, headers, body: isForm ? body : JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Two ids: of an entity that stays, and of one that may be deleted. */
const two = async (make) => ({ stays: (await make()).id, goes: (await make()).id });

const named = () => ({ name: crypto.randomUUID(), xref: crypto.randomUUID() });

function file() {
  const form = new FormData();
  form.append('file', new Blob(['certificate']), 'certificate.txt');
  return form;
}

async function workspaces(send) {
  const organization = () => send('POST', '/v2/organizations', { name: crypto.randomUUID(), category: 'shipper' });
  const [organization_id, { id: vendor }, { id: client }] = [
    await two(organization),
    await organization(),
    await organization(),
  ];
  const parties = { client: { id: client }, vendor: { id: vendor } };
  return { organization_id, workspace_id: await two(() => send('POST', '/workspaces', { parties })) };
}

async function legacy(send) {
  const { workspace_id } = await workspaces(send);
  const at = `/workspaces/${workspace_id.stays}`;
  const job_id = await two(() => send('POST', `${at}/jobs`, { refNumber: 'R' }));
  const below = (noun, body = {}) => two(() => send('POST', `${at}/jobs/${job_id.stays}/${noun}`, body));
  const recordId = await two(() => send('POST', `${at}/catalogs/products`, named()));
  const synonymRecordId = await two(() => send('POST', `${at}/catalogs/products`, named()));
  for (const id of Object.values(synonymRecordId))
    await send('POST', `${at}/catalogs/products/${recordId.stays}/synonyms/${id}`);
  const reported = { status: 'preliminary', setNumber: 1, sample: { location: 'SHIP' }, result: '1' };
  const quality = { ...reported, test: named(), method: named(), uom: named() };
  return {
    ...{ workspace_id, job_id, recordId, synonymRecordId, catalog: { stays: 'products', goes: 'products' } },
    ...{ quality_id: await below('quality', quality), quantity_id: await below('quantity') },
    ...{ event_id: await below('timelog'), id: await below('load-port-information') },
    file_id: await two(() => send('POST', `${at}/jobs/${job_id.stays}/files`, file())),
  };
}

async function v2(send) {
  const { organization_id, workspace_id } = await workspaces(send);
  const at = `/v2/workspaces/${workspace_id.stays}`;
  const document = { type: 'svc.inspection.job', body: {} };
  const document_id = await two(() => send('POST', `${at}/documents`, document));
  const attachments = `${at}/documents/${document_id.stays}/attachments`;
  const id = await two(() => send('POST', `${at}/xrefs/products`, named()));
  const linked_item_id = await two(() => send('POST', `${at}/xrefs/products`, named()));
  await send('POST', `${at}/xrefs/products/${id.stays}/synonyms/${linked_item_id.goes}`);
  const webhook = { url: 'http://127.0.0.1:9/nobody', event_types: ['webhook.ping'] };
  const [{ id: schema }] = await send('GET', '/v2/schemas');
  return {
    ...{ organization_id, workspace_id, document_id, id, xref_id: id, linked_item_id },
    attachment_id: await two(() => send('POST', attachments, file())),
    webhook_id: await two(() => send('POST', '/v2/webhooks', webhook)),
    ...{ xtype: { stays: 'products', goes: 'products' }, schema_id: { stays: schema, goes: schema } },
  };
}
