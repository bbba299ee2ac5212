// May take 20 s: documents of 6 MB are stored and read.
import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { Auditor } from '../../src/figure-audit-projection/auditor.ts';
import { openCursors } from '../open-cursors.ts';
import { type Answer, serviceFixture, workspaceFixture } from '../service.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);

/** Two of them fit a page (12 MiB), three do not. */
const COUNT = 4;
const PADDING = 'x'.repeat(5_800_000);
const NAMES = Array.from({ length: COUNT }, (_, index) => `L${COUNT - index}`);

/** A job whose reports are together too large. */
let overfull: string;

interface Large {
  readonly body: { readonly refNumber: string };
}

beforeAll(async () => {
  for (const refNumber of NAMES.toReversed()) {
    const body = { refNumber, padding: PADDING };
    const made = await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body });
    expect(made.status).toBe(201);
  }
});

const namesIn = async (path: string): Promise<string[]> => {
  const { status, body } = await service.ask('GET', path, { as: 'client' });
  expect(status).toBe(200);
  return (body as Large[]).map(({ body }) => body.refNumber);
};

describe('documents together too large for one page', () => {
  it.each([
    ['without a limit', '', NAMES],
    ['with a limit', '?limit=3', NAMES.slice(0, 3)],
    ['with a limit above their number', '?limit=1000', NAMES],
    ['with a limit and an offset', '?limit=3&offset=1', NAMES.slice(1, 4)],
    ['with a limit that a page has room for', '?limit=2', NAMES.slice(0, 2)],
  ])('are all in a REST list %s', async (_, query, expected) => {
    expect(await namesIn(`/workspaces/${workspace.id}/jobs${query}`)).toEqual(expected);
  });

  it('continue after the last one requested, whatever is added before it', async () => {
    const path = `/workspaces/${workspace.id}/jobs?limit=3`;
    const { headers } = await service.ask('GET', path, { as: 'client' });
    const [, next = ''] = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
    const head = await service.ask('HEAD', path, { as: 'client' });
    expect(head.headers.get('link')).toBe(headers.get('link'));
    const jobs = `/workspaces/${workspace.id}/jobs`;
    const { body } = await service.ask('POST', jobs, { as: 'client', body: { refNumber: 'new' } });
    expect(await namesIn(next)).toEqual(NAMES.slice(3));
    await service.ask('DELETE', `${jobs}/${body.id}`, { as: 'client' });
  });

  it('leave no cursor open', async () => {
    const path = `/workspaces/${workspace.id}/jobs?limit=1000`;
    expect(await namesIn(path)).toHaveLength(COUNT);
    expect((await service.ask('HEAD', path, { as: 'client' })).status).toBe(200);
    await expect.poll(() => openCursors(service, 'documents')).toBe(0);
  });

  it('are all in a v2 page, and in the answer to HEAD', async () => {
    const path = `/v2/workspaces/${workspace.id}/documents?type=svc.inspection.job`;
    expect(await namesIn(path)).toEqual(NAMES);
    expect((await service.ask('HEAD', path, { as: 'client' })).status).toBe(200);
  });

  it('are all in a reference-search page, which is read in parts', async () => {
    const grade = { name: 'Gas oil', gradeTypeCode: 'NDP_DIESEL_FUELS', gradeStatusCode: 'ACTIVE', isSensitive: false };
    for (const code of NAMES) {
      const body = { ...grade, description: `${code} ${PADDING}` };
      const { status } = await service.ask('PUT', `/api/rest/1.0/grades/${code}`, { as: 'client', body });
      expect(status).toBe(201);
    }
    const found = async (query: string) => {
      const { status, body } = await service.ask('GET', `/api/rest/1.0/grades${query}`, { as: 'client' });
      const { results, ...counts } = body;
      return [status, counts, results.map(({ clientCode }: { clientCode: string }) => clientCode)];
    };
    const [sorted, counts] = [NAMES.toSorted(), { totalResultsAvailable: COUNT, firstResultPosition: 1 }];
    expect(await found('')).toEqual([200, { ...counts, resultsPerPage: 25 }, sorted]);
    expect(await found('?resultsPerPage=3')).toEqual([200, { ...counts, resultsPerPage: 3 }, sorted.slice(0, 3)]);
  });

  it('end a GraphQL page early, with more to follow', async () => {
    const query = `query($workspace: UUID!, $after: String) {
      jobs(workspace: $workspace, first: 100, after: $after) {
        nodes { refNumber } pageInfo { hasNextPage endCursor } totalCount
      }
    }`;
    const pages: string[][] = [];
    for (let after: string | null = null; ; ) {
      const answer: Answer = await service.graphql(query, { workspace: workspace.id, after });
      const { nodes, pageInfo, totalCount } = answer.body.data.jobs;
      pages.push(nodes.map(({ refNumber }: { refNumber: string }) => refNumber));
      expect(totalCount).toBe(COUNT);
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(pages).toEqual([NAMES.slice(0, 2), NAMES.slice(2)]);
  });

  it('are refused below a job if together too large', { timeout: 180_000 }, async () => {
    const job = (await service.ask('POST', `/workspaces/${workspace.id}/jobs`, { as: 'client', body: {} })).body.id;
    const named = { test: { name: 'Density' }, method: { name: 'ASTM D4052' }, uom: { name: 'kg/m3' } };
    const body = { status: 'preliminary', setNumber: 1, sample: { location: 'SHIP' }, result: '1', ...named };
    const path = `/workspaces/${workspace.id}/jobs/${job}/quality`;
    const query = 'query($job: UUID!) { job(id: $job) { qualityResults(first: 10) { id } } }';
    for (let count = 1; count <= 5; count += 1) {
      const large = { ...body, setNumber: count, padding: 'x'.repeat(13_500_000) };
      expect((await service.ask('POST', path, { as: 'vendor', body: large })).status).toBe(201);
      if (count === 4) expect((await service.graphql(query, { job })).body.data.job.qualityResults).toHaveLength(4);
    }
    expect((await service.graphql(query, { job })).body.errors[0].extensions.code).toBe('TOO_LARGE');
    overfull = job;
  });

  it('end a page read backward early', async () => {
    const query = `query($workspace: UUID!) {
      jobs(workspace: $workspace, last: 10) { nodes { refNumber } pageInfo { hasPreviousPage } }
    }`;
    const { data } = (await service.graphql(query, { workspace: workspace.id })).body;
    expect(data.jobs.nodes.map(({ refNumber }: { refNumber: string }) => refNumber)).toEqual(NAMES.slice(2));
    expect(data.jobs.pageInfo.hasPreviousPage).toBe(true);
  });

  it('are held up to 64 MiB per request, and keep nobody else from reading', { timeout: 180_000 }, async () => {
    const named = { test: { name: 'Colour' }, method: { name: 'ASTM D1500' }, uom: { name: '1' } };
    const jobs = `/workspaces/${workspace.id}/jobs`;
    const large: string[] = [];
    for (let count = 1; count <= 12; count += 1) {
      const { body } = await service.ask('POST', jobs, { as: 'client', body: { padding: PADDING } });
      large.push(body.id);
    }
    for (const id of large) {
      const body = { status: 'preliminary', setNumber: 1, sample: { location: 'SHIP' }, result: '1', ...named };
      const path = `${jobs}/${id}/quality`;
      expect((await service.ask('POST', path, { as: 'vendor', body })).status).toBe(201);
    }
    const other = `${jobs}/${large[0]}`;
    const parents = async (first: number): Promise<Answer['body']> => {
      const query = `query($workspace: UUID!, $first: Int!) {
        documents(workspace: $workspace, type: "svc.inspection.qualityResult", first: $first) { nodes { parent { id } } }
      }`;
      const [{ body }, read] = await Promise.all([
        service.graphql(query, { workspace: workspace.id, first }),
        service.ask('GET', other, { as: 'client' }),
      ]);
      expect(read.status).toBe(200);
      return body;
    };
    const few = await parents(8);
    expect(few.errors).toBeUndefined();
    expect(few.data.documents.nodes.every(({ parent }: { parent: unknown }) => parent !== null)).toBe(true);
    expect((await parents(12)).errors[0].extensions.code).toBe('TOO_LARGE');
  });

  it('are audited in parts; a job too large with its reports is logged, and delays no other', async () => {
    const jobs = service.stores.db.collection<{ _id: string }>('documents').find({ type: 'svc.inspection.job' });
    const ids = (await jobs.project<{ _id: string }>({ _id: 1 }).toArray()).map(({ _id }) => _id);
    const refused: string[] = [];
    const deleted = newId();
    const { audits, gone } = await new Auditor(service.stores, (job) => refused.push(job)).audit([...ids, deleted]);
    expect([refused, gone]).toEqual([[overfull], [deleted]]);
    expect(audits.map(({ id }) => id).sort()).toEqual(ids.filter((id) => id !== overfull).sort());
  });
});
