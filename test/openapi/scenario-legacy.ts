import type { Partners } from './scenario.ts';
import type { Send } from './scenario-fixture.ts';

type At = Readonly<Record<string, string>>;

/** Every endpoint of the legacy family. */
export async function runLegacyScenario(send: Send, partners: Partners): Promise<void> {
  const at = { workspace_id: partners.workspace };
  await runWorkspaces(send, partners);
  const { id } = await send('legacy.jobs.create', {
    at,
    body: {
      refNumber: 'KST-2042',
      status: 'pending',
      activity: 'discharge',
      eta: '2026-05-04T06:00:00Z',
      location: { xref: 'NLRTM', name: 'Rotterdam' },
      transports: [{ name: 'MT Curlew' }],
      cargo: { product: { name: 'Naphtha' }, quantity: 12_500.5, uom: { name: 'MT' } },
      requested: { quality: true, quantity: true, timelog: true },
    },
  });
  const job = { ...at, job_id: id };
  await send('legacy.jobs.list', { at, query: 'status=pending&sort=eta:asc' });
  await send('legacy.jobs.get', { at: job });
  await send('legacy.jobs.update', { as: 'vendor', at: job, body: { status: 'active', xref: 'HS-2042' } });
  for (const report of REPORTS) await runReport(send, job, report);
  await runFiles(send, job);
  await runCatalogs(send, at);
  await send('legacy.jobs.delete', { at: job });
}

async function runWorkspaces(send: Send, { client, vendor, workspace }: Partners): Promise<void> {
  const at = { workspace_id: workspace };
  const parties = { client: { id: client }, vendor: { id: vendor } };
  const empty = await send('legacy.workspaces.create', { body: { description: 'Baltic Sea', parties } });
  await send('legacy.workspaces.list', { query: 'description=Baltic%20Sea' });
  await send('legacy.workspaces.get', { at });
  await send('legacy.workspaces.update', { at, body: { description: 'North Sea' } });
  await send('legacy.workspaces.delete', { at: { workspace_id: empty.id } });
}

interface Report {
  readonly noun: string;
  readonly parameter: string;
  readonly query: string;
  readonly body: object;
  readonly patch: object;
}

const REPORTS: readonly Report[] = [
  {
    noun: 'quality',
    parameter: 'quality_id',
    query: 'status=preliminary',
    body: {
      status: 'preliminary',
      setNumber: 1,
      testNumber: 1,
      date: '2026-05-04T18:00:00Z',
      sample: { refNumber: 'S-1', description: 'Ship composite', sealNumber: '77011', location: 'SHIP' },
      test: { name: 'Sulfur' },
      method: { name: 'ASTM D4294' },
      uom: { name: 'mg/kg' },
      resultOperator: 'eq',
      result: '962',
      isOffSpec: false,
    },
    patch: { status: 'confirmed', coaId: 'COA-2042', isPassed: true },
  },
  {
    noun: 'quantity',
    parameter: 'quantity_id',
    query: 'direction=source',
    body: {
      direction: 'source',
      date: '2026-05-05T22:00:00Z',
      measurements: [{ name: 'GSV', uom: { name: 'm3' }, value: 17_384.2 }],
      meanTemp: { value: 17.5, uom: { name: 'C' } },
      vcfTable: { name: '54B' },
      density15c: 0.7194,
    },
    patch: { api: 65.1 },
  },
  {
    noun: 'timelog',
    parameter: 'event_id',
    query: 'category=delay',
    body: {
      type: { xref: 'ANCH', name: 'At anchor' },
      category: 'delay',
      start: '2026-05-04T06:10:00Z',
      end: '2026-05-04T09:40:00Z',
    },
    patch: { notes: 'Waiting for the berth' },
  },
  {
    noun: 'loadPortInformation',
    parameter: 'id',
    query: 'sort=billOfLadingDate:desc',
    body: {
      billOfLadingDate: '2026-04-20',
      portOfLoading: { name: 'Ras Tanura' },
      measurements: [{ code: 'BL', name: 'GSV', uom: { name: 'm3' }, value: 17_391 }],
    },
    patch: { billOfLadingDate: '2026-04-21' },
  },
];

async function runReport(send: Send, at: At, { noun, parameter, query, body, patch }: Report): Promise<void> {
  const made = await send(`legacy.${noun}.create`, { as: 'vendor', at, body });
  const each = { ...at, [parameter]: made.id };
  await send(`legacy.${noun}.list`, { at, query });
  await send(`legacy.${noun}.get`, { at: each });
  await send(`legacy.${noun}.update`, { as: 'vendor', at: each, body: patch });
  await send(`legacy.${noun}.delete`, { as: 'vendor', at: each });
}

async function runFiles(send: Send, at: At): Promise<void> {
  const { id } = await send('legacy.files.create', { as: 'vendor', at, form: { file: 'Sulfur: 962 mg/kg' } });
  const each = { ...at, file_id: id };
  await send('legacy.files.list', { at });
  await send('legacy.files.get', { at: each });
  await send('legacy.files.content', { at: each });
  await send('legacy.files.delete', { as: 'vendor', at: each });
}

async function runCatalogs(send: Send, workspace: At): Promise<void> {
  const at = { ...workspace, catalog: 'transports' };
  const record = await send('legacy.catalogs.create', { at, body: { name: 'MT Sandpiper', xref: '9311622' } });
  const other = await send('legacy.catalogs.create', { as: 'vendor', at, body: { name: 'SANDPIPER' } });
  const each = { ...at, id: record.id };
  const pair = { ...at, recordId: record.id, synonymRecordId: other.id };
  await send('legacy.catalogs.list', { at, query: 'xref=9311622' });
  await send('legacy.catalogs.get', { at: each });
  await send('legacy.catalogs.update', { at: each, body: { name: 'MT Sandpiper II' } });
  await send('legacy.synonyms.link', { at: pair });
  await send('legacy.synonyms.list', { at: pair });
  await send('legacy.synonyms.get', { at: pair });
  await send('legacy.synonyms.unlink', { at: pair });
  await send('legacy.catalogs.delete', { at: each });
}
