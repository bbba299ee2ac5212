import { beforeAll, describe, expect, it } from 'vitest';
import type { OpenApi } from '../../rest-compat/openapi/document.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
let document: OpenApi;
let places: Readonly<Record<string, string>>;

beforeAll(async () => {
  document = (await service.ask('GET', '/openapi/legacy.json')).body;
  const at = `/workspaces/${workspace.id}`;
  const made = async (path: string, body: object): Promise<string> =>
    (await service.ask('POST', at + path, { as: 'client', body })).body.id;
  const recordId = await made('/catalogs/products', { name: 'Gasoil' });
  places = { workspace_id: workspace.id, job_id: await made('/jobs', {}), catalog: 'products', recordId };
});

/** Parameters for how items are listed, not which. */
const PAGING = ['limit', 'offset', 'cursor', 'sort'];
const lists = [
  '/workspaces',
  '/workspaces/{workspace_id}/jobs',
  '/workspaces/{workspace_id}/jobs/{job_id}/quality',
  '/workspaces/{workspace_id}/jobs/{job_id}/files',
  '/workspaces/{workspace_id}/catalogs/{catalog}',
  '/workspaces/{workspace_id}/catalogs/{catalog}/{recordId}/synonyms',
];

const filtersOf = (path: string): string[] =>
  (document.paths[path]?.get?.parameters ?? [])
    .filter((parameter) => parameter.in === 'query' && !PAGING.includes(parameter.name))
    .map(({ name }) => name);

describe('the filters of a list of the Workspace API', () => {
  it.each(lists)('of %s are listed, and all of them work', async (path) => {
    const filters = filtersOf(path);
    expect(filters.length).toBeGreaterThan(5);
    const there = path.replace(/\{(\w+)\}/g, (_, name: string) => places[name] ?? '');
    for (const name of filters) {
      const { status, text } = await service.ask('GET', `${there}?${name}=null`, { as: 'client' });
      expect([name, status, status === 200 ? '' : text]).toEqual([name, 200, '']);
    }
  });

  it.each(lists)('of %s say what they compare', (path) => {
    const parameters = (document.paths[path]?.get?.parameters ?? []).filter((parameter) => parameter.in === 'query');
    expect(parameters.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
  });

  it('have the descriptions of the fields they compare', () => {
    const { parameters = [] } = document.paths['/workspaces/{workspace_id}/jobs']?.get ?? {};
    const described = Object.fromEntries(parameters.map(({ name, description }) => [name, description]));
    expect(described).toMatchObject({
      refNumber: 'The reference that client and vendor use when they talk about the job.',
      eta: 'When the vessel is expected at the port (estimated time of arrival).',
      'cargo.product': 'What is shipped, such as gasoil or a crude.',
      'cargo.product.xref': 'What is shipped, such as gasoil or a crude. By the xref of its record.',
      region: 'The region of the job.',
      'inspectionObjects.object': 'The vessel that is inspected.',
      'inspectionObjects.object.imo': 'The IMO number of the vessel.',
      'cargoes.volume.uom.name': 'The unit of measure of the value. By the name of its record.',
      created_at: 'When it was created.',
    });
  });

  it('of files include the members of a file', () => {
    expect(filtersOf('/workspaces/{workspace_id}/jobs/{job_id}/files')).toEqual(
      expect.arrayContaining(['caption', 'format', 'size', 'created_at']),
    );
  });
});
