import { beforeAll, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../rest-compat/declare/endpoint.ts';
import { endpoints } from '../../rest-compat/endpoints.ts';
import { withKeyOf } from '../key-with-scopes.ts';
import { type Caller, makeWorkspace, serviceFixture } from '../service.ts';
import { BOUNDARY, filePart, formOf, sendForm } from './form.ts';

const UNKNOWN = '0190a000-0000-7000-8000-000000000000';
const JOB = 'svc.inspection.job';

const GRADE = {
  name: 'Gas oil',
  gradeTypeCode: 'NDP_DIESEL_FUELS',
  description: '',
  gradeStatusCode: 'ACTIVE',
  isSensitive: false,
};

/** A valid body for every endpoint that takes one. */
const BODIES: Readonly<Record<string, unknown>> = {
  'bridge.jobs.create': { refNumber: 'Never made' },
  'bridge.jobs.submit': { refNumber: 'Never made' },
  'v2.organizations.create': { name: 'Never made' },
  'v2.organizations.update': { body: { category: null } },
  'v2.workspaces.create': { parties: { client: { id: UNKNOWN }, vendor: { id: UNKNOWN.replace('9', '8') } } },
  'v2.workspaces.update': { body: { description: 'changed' } },
  'v2.documents.create': { type: JOB, body: {} },
  'v2.documents.createMany': { type: JOB, body: [{}] },
  'v2.documents.update': { body: { notes: 'changed' } },
  'v2.webhooks.create': { url: 'https://never.example' },
  'v2.webhooks.update': { description: 'changed' },
  'v2.webhooks.replay': { after: '0' },
  'v2.xrefs.create': { name: 'Never made' },
  'v2.xrefs.update': { body: { name: 'changed' } },
  'legacy.workspaces.create': { parties: { client: { id: UNKNOWN }, vendor: { id: UNKNOWN.replace('9', '8') } } },
  'legacy.workspaces.update': { description: 'changed' },
  'legacy.jobs.create': {},
  'legacy.jobs.update': { notes: 'changed' },
  'legacy.quality.create': { status: 'preliminary', result: '0.84' },
  'legacy.quality.update': { notes: 'changed' },
  'legacy.quantity.create': { direction: 'source' },
  'legacy.quantity.update': { api: 35 },
  'legacy.timelog.create': { category: 'event' },
  'legacy.timelog.update': { notes: 'changed' },
  'legacy.loadPortInformation.create': { billOfLadingDate: '2026-05-01' },
  'legacy.loadPortInformation.update': { billOfLadingDate: '2026-05-02' },
  'reference.ports.put': { name: 'Rotterdam' },
  'reference.inlandFacilities.put': { name: 'Rotterdam' },
  'reference.grades.put': GRADE,
  'reference.companies.put': { name: 'Rotterdam' },
  'legacy.catalogs.create': { name: 'Never made' },
  'legacy.catalogs.update': { name: 'changed' },
};

const service = serviceFixture();
/** A value for each path parameter, all from one workspace of client and vendor. */
let params: Readonly<Record<string, string>>;
/** Values of parameters with another meaning in paths that contain the key. */
let own: Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Carries a key of the client's tenant with only the scope `write`. */
let writer: Awaited<ReturnType<typeof withKeyOf>>;

beforeAll(async () => {
  writer = await withKeyOf('client', ['write'], service);
  const workspace = await makeWorkspace(service);
  const base = `/v2/workspaces/${workspace.id}`;
  const made = async (path: string, body: unknown) => {
    const answer = await service.ask('POST', `${base}/${path}`, { as: 'client', body });
    return answer.body.id as string;
  };
  const job = await made('documents', { type: JOB, body: {} });
  const record = await made('xrefs/locations', { name: 'Rotterdam' });
  const other = await made('xrefs/locations', { name: 'NLRTM' });
  await service.ask('POST', `${base}/xrefs/locations/${record}/synonyms/${other}`, { as: 'client' });
  const file = await sendForm(service, `${base}/documents/${job}/attachments`, formOf(filePart('Rotterdam')));
  const result = (type: string, body: object) =>
    made('documents', { type: `svc.inspection.${type}`, body: { parent: job, ...body } });
  const sample = { status: 'preliminary', setNumber: 1, sample: { location: 'T1' }, result: '1' };
  const records = { test: { name: 'Density' }, method: { name: 'D4052' }, uom: { name: 'kg/m3' } };
  own = { 'load-port-information': { id: await result('loadPortInformation', {}) } };
  for (const [name, body] of Object.entries({ ports: {}, inland_facilities: {}, grades: GRADE, companies: {} })) {
    const path = `/api/rest/1.0/${name}/NL%2FRTM`;
    await service.ask('PUT', path, { as: 'client', body: { name: 'Rotterdam', ...body } });
  }
  const [schema] = (await service.ask('GET', '/v2/schemas', { as: 'client' })).body;
  const webhook = await service.ask('POST', '/v2/webhooks', { as: 'admin', body: { url: 'https://a.example' } });
  params = {
    organization_id: workspace.client,
    workspace_id: workspace.id,
    document_id: job,
    job_id: job,
    attachment_id: file.body.id,
    file_id: file.body.id,
    xtype: 'locations',
    id: record,
    xref_id: record,
    linked_item_id: other,
    schema_id: schema.id,
    webhook_id: webhook.body.id,
    delivery_id: UNKNOWN,
    quality_id: await result('qualityResult', { ...sample, ...records }),
    quantity_id: await result('quantityResult', { direction: 'destination' }),
    event_id: await result('timelog', { category: 'delay' }),
    catalog: 'locations',
    recordId: record,
    synonymRecordId: other,
    clientCode: 'NL%2FRTM',
  };
});

/** List parameters that are not filters. */
const PAGING = new Set(['limit', 'offset', 'cursor', 'sort', 'fields', 'include']);

const takesBody = ({ variables }: Endpoint) => Object.values(variables).some(({ from }) => from === 'body');
const takesFile = ({ variables }: Endpoint) => Object.values(variables).some(({ from }) => from === 'file');
const needsType = ({ variables }: Endpoint) => variables.type?.from === 'query';
const isWrite = ({ operation }: Endpoint) => operation.trimStart().startsWith('mutation');

function pathOf(endpoint: Endpoint, over: Readonly<Record<string, string>> = {}): string {
  const [, special = {}] = Object.entries(own).find(([part]) => endpoint.path.includes(part)) ?? [];
  const values = { ...params, ...special, ...over };
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? `no-${name}`);
  return needsType(endpoint) ? `${path}?type=${JOB}` : path;
}

interface Request {
  readonly as?: Caller | undefined;
  readonly over?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whose key is sent: an administrator's where the tenant is administered. */
const callerFor = ({ scope }: Endpoint, as: Caller | undefined): Caller | undefined =>
  scope === 'admin' && (as === 'client' || as === 'vendor') ? 'admin' : as;

function send(endpoint: Endpoint, { as: wanted, over, query, headers, ...given }: Request = {}) {
  const as = callerFor(endpoint, wanted);
  const path = pathOf(endpoint, over);
  const url = query === undefined ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
  if (takesFile(endpoint)) {
    const multipart = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`, ...headers };
    const body = formOf(filePart('a file')).toString('latin1');
    return service.ask(endpoint.method, url, { as, headers: multipart, body });
  }
  const body = 'body' in given ? given.body : BODIES[endpoint.id];
  return service.ask(endpoint.method, url, { as, ...(headers && { headers }), ...(takesBody(endpoint) && { body }) });
}

/** Sessions are not about keys; test/auth/sessions.test.ts covers them. */
const isOfSession = ({ id }: Endpoint): boolean => id.startsWith('reference.session.');

const rows = (fits: (endpoint: Endpoint) => boolean): [string, Endpoint][] =>
  endpoints
    .filter((endpoint) => !endpoint.open && !isOfSession(endpoint) && fits(endpoint))
    .map((endpoint) => [`${endpoint.id} — ${endpoint.method} ${endpoint.path}`, endpoint]);

/** Anyone may read any organization and any schema, and create an organization. */
const isPrivate = ({ id, parameters }: Endpoint): boolean =>
  parameters.includes('workspace_id') || /organizations\.(update|delete)$/.test(id);

const isReference = ({ family }: Endpoint): boolean => family.name === 'reference';
const hasCode = ({ parameters }: Endpoint): boolean => parameters.includes('clientCode');

const ids = ({ parameters }: Endpoint): string[] => parameters.filter((name) => /id$/i.test(name));

describe('every endpoint', () => {
  it('with a body has a valid one here', () => {
    expect(
      rows(takesBody)
        .filter(([, { id }]) => !(id in BODIES))
        .map(([title]) => title),
    ).toEqual([]);
  });

  it.each(rows(() => true))('requires a credential: %s', async (_, endpoint) => {
    const answer = await send(endpoint);
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(answer.headers.get('www-authenticate')).toContain('Bearer');
  });

  it.each(rows(isPrivate))('refuses a stranger, revealing nothing of what exists: %s', async (_, endpoint) => {
    const answer = await send(endpoint, { as: 'stranger' });
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
    expect(answer.text).not.toContain('Rotterdam');
  });

  it.each(rows((endpoint) => hasCode(endpoint) && endpoint.method !== 'PUT'))(
    'finds no code of another tenant, and no unknown one: %s',
    async (_, endpoint) => {
      for (const request of [{ as: 'stranger' }, { as: 'client', over: { clientCode: 'NL-RTM' } }] as const) {
        const answer = await send(endpoint, request);
        expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
        expect(answer.text).not.toContain('Rotterdam');
      }
    },
  );

  it.each(rows(isWrite))("refuses a reader's key: %s", async (_, endpoint) => {
    const answer = await send(endpoint, { as: 'reader' });
    expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
  });

  it.each(rows((endpoint) => ids(endpoint).length > 0))('does not find unknown ids: %s', async (_, endpoint) => {
    for (const name of ids(endpoint)) {
      for (const id of [UNKNOWN, 'x', '%20']) {
        const answer = await send(endpoint, { as: 'client', over: { [name]: id } });
        expect([name, id, answer.status, answer.body.code]).toEqual([name, id, 404, 'NOT_FOUND']);
      }
    }
  });

  it.each(rows(({ family }) => family.filterStyle !== 'bare'))(
    'refuses an unknown query parameter: %s',
    async (_, endpoint) => {
      const answer = await send(endpoint, { as: 'client', query: 'colour=red' });
      expect([answer.status, answer.body.errors?.[0].parameter]).toEqual([400, 'colour']);
    },
  );

  it.each(rows(({ reply }) => reply.kind === 'list'))(
    'refuses invalid limits, orders and filters: %s',
    async (_, endpoint) => {
      for (const query of [
        'limit=0',
        'limit=x',
        'offset=-1',
        'sort=nothing',
        'sort=id:up',
        'filter[nothing]=1',
        '%ff=1',
      ]) {
        const answer = await send(endpoint, { as: 'client', query });
        expect([query, answer.status, answer.body.code]).toEqual([query, 400, 'INVALID_INPUT']);
      }
    },
  );

  it.each(rows(({ reply, family }) => reply.kind === 'list' && family.filterStyle !== 'none'))(
    'accepts every filter named in OpenAPI: %s',
    async (_, endpoint) => {
      const { paths, components } = (await service.ask('GET', '/openapi.json')).body;
      const asked = paths[endpoint.path].get.parameters.filter((one: { in: string }) => one.in === 'query');
      const filter = asked.find(({ name }: { name: string }) => name === 'filter');
      const schema = filter && (components.schemas[filter.schema.$ref?.split('/').at(-1)] ?? filter.schema);
      const query = filter
        ? Object.keys(schema.properties ?? {}).map((name) => `filter[${name}]=null`)
        : asked.flatMap(({ name }: { name: string }) => (PAGING.has(name) ? [] : `${name}=null`));
      const answer = await send(endpoint, { as: 'client', query: query.join('&') });
      expect([answer.status, answer.text.length > 0], answer.text).toEqual([200, true]);
    },
  );

  it.each(rows(takesBody))('refuses an invalid body: %s', async (_, endpoint) => {
    for (const body of ['', '{', '[]', 'null', '"text"', '7']) {
      const answer = await send(endpoint, { as: 'client', body });
      expect([body, answer.status, answer.body.code]).toEqual([body, 400, 'INVALID_INPUT']);
    }
    const text = await send(endpoint, { as: 'client', body: '{}', headers: { 'Content-Type': 'text/plain' } });
    expect([text.status, text.body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  it.each(
    rows(
      ({ method, parameters, scope }) =>
        ['PUT', 'PATCH', 'DELETE'].includes(method) && parameters.length > 0 && scope !== 'admin',
    ),
  )('refuses a stale If-Match, and finds no unknown ids, even for a write-only key: %s', async (_, endpoint) => {
    for (const caller of [{ as: 'client' }, writer] as const) {
      const headers = { ...('headers' in caller && caller.headers), 'If-Match': '"stale"' };
      const answer = await send(endpoint, { ...caller, headers });
      expect([answer.status, answer.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
    }
    for (const name of ids(endpoint)) {
      const answer = await send(endpoint, { ...writer, over: { [name]: UNKNOWN } });
      expect([name, answer.status, answer.body.code]).toEqual([name, 404, 'NOT_FOUND']);
    }
  });

  it.each(rows(({ method }) => method === 'GET'))(
    'answers GET and HEAD alike, with and without a trailing slash: %s',
    async (_, endpoint) => {
      const as = callerFor(endpoint, isReference(endpoint) ? 'client' : 'vendor');
      const get = await send(endpoint, { as });
      expect(get.status).toBe(200);
      const path = pathOf(endpoint);
      const slashed = path.includes('?') ? path.replace('?', '/?') : `${path}/`;
      expect((await service.ask('GET', slashed, { as })).text).toBe(get.text);
      const head = await service.ask('HEAD', path, { as });
      expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', get.headers.get('etag')]);
    },
  );
});
