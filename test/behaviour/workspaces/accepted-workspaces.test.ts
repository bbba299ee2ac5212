import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventClient } from '../../events/event-client.ts';
import { type Answer, type Caller, startTestService, type TestService } from '../../service.ts';
import { allCounted } from '../../statistics/all-counted.ts';
import { allRecorded } from '../../webhooks/webhook-fixture.ts';

const JOBS = '/bridge/v1/data/jobs';
const NO_WORKSPACE = 'none; no workspace of these parties';
let service: TestService;

beforeAll(async () => {
  service = await startTestService({ records: true, counts: true });
});
afterAll(() => service.stop());

interface Party {
  readonly id: string;
  readonly name: string;
}

async function organization(as: Caller, name = `Harbour ${newId()}`): Promise<Party> {
  const { body } = await service.ask('POST', '/v2/organizations', { as, body: { name } });
  return { id: body.id, name };
}

interface Opened {
  readonly as?: Caller;
  readonly client: Party;
  readonly vendor: Party;
  readonly xrefs?: { readonly client?: string; readonly vendor?: string };
}

async function open({ as = 'client', client, vendor, xrefs = {} }: Opened): Promise<string> {
  const parties = { client: { id: client.id, xref: xrefs.client }, vendor: { id: vendor.id, xref: xrefs.vendor } };
  const answer = await service.ask('POST', '/v2/workspaces', { as, body: { parties } });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

const post = (body: object, as: Caller = 'client') => service.ask('POST', JOBS, { as, body: { notes: 'n', ...body } });
const placed = ({ body, headers }: Answer) => [body.meta.workspace, headers.get('x-job-placement')];
const listed = async (path: string, as: Caller): Promise<string[]> =>
  (await service.ask('GET', path, { as })).body.map(({ id }: { id: string }) => id);

async function call(mutation: 'acceptWorkspace' | 'declineWorkspace', id: string, as: Caller) {
  const { body } = await service.graphql(
    `mutation A($id: UUID!) { ${mutation}(id: $id) { id acceptedBy { id } } }`,
    { id },
    as,
  );
  return body.errors?.[0].extensions.code ?? body.data[mutation].acceptedBy.map((one: { id: string }) => one.id);
}

async function acceptedBy(id: string): Promise<string[]> {
  const { body } = await service.graphql('query W($id: UUID!) { workspace(id: $id) { acceptedBy { id } } }', { id });
  return body.data.workspace.acceptedBy.map((one: { id: string }) => one.id);
}

/** A workspace that the vendor opened with an organization of the client, unasked. */
async function unasked() {
  const [client, vendor] = [await organization('client'), await organization('vendor')];
  return { client, vendor, id: await open({ as: 'vendor', client, vendor }) };
}

describe('a job of the Data API', () => {
  it('does not go to a stranger who opened a workspace with the xrefs of its parties', async () => {
    const [client, vendor, attacker] = [
      await organization('client'),
      await organization('vendor'),
      await organization('stranger'),
    ];
    const marks = { client: `ORV ${newId()}`, vendor: `ALPHA ${newId()}` };
    const [job, named] = [
      { client: { xref: marks.client, name: client.name }, vendor: { xref: marks.vendor, name: vendor.name } },
      { client: { name: client.name }, vendor: { xref: marks.vendor } },
    ];
    const theirs = await open({ as: 'stranger', client, vendor: attacker, xrefs: marks });
    expect(placed(await post(job))).toEqual([undefined, NO_WORKSPACE]);

    const ours = await open({ client, vendor });
    expect(placed(await post(job))).toEqual([ours, null]);
    const withXref = await open({ client, vendor, xrefs: marks });
    for (let more = 0; more < 3; more++) await open({ as: 'stranger', client, vendor: attacker, xrefs: marks });
    expect(placed(await post(job))).toEqual([withXref, null]);
    expect(placed(await post(named))).toEqual([withXref, null]);
    const seen = await service.ask('GET', `/v2/workspaces/${theirs}/documents?type=svc.inspection.job`, {
      as: 'stranger',
    });
    expect([seen.status, seen.body]).toEqual([200, []]);
  });

  it('does not go to a stranger whose organization has a similar name', async () => {
    const [client, vendor] = [await organization('client'), await organization('vendor')];
    const alike = await organization('stranger', vendor.name.replace('a', 'а')); // the Cyrillic letter
    expect(alike.id).toBeDefined();
    await open({ as: 'stranger', client, vendor: alike, xrefs: { vendor: vendor.name } });
    const job = { client: { name: client.name }, vendor: { name: alike.name, xref: vendor.name } };
    expect(placed(await post(job))).toEqual([undefined, NO_WORKSPACE]);
  });

  it('reports several matching workspaces, and stays in none; says nothing when one is found', async () => {
    const [client, vendor] = [await organization('client'), await organization('vendor')];
    const job = { client: { name: client.name }, vendor: { name: vendor.name } };
    const only = await open({ client, vendor });
    expect(placed(await post(job))).toEqual([only, null]);
    await open({ client, vendor });
    expect(placed(await post(job))).toEqual([undefined, 'none; 2 workspaces match']);
  });

  it('gets the same header again under the same Idempotency-Key', async () => {
    const options = { as: 'client', body: { notes: 'one' }, headers: { 'Idempotency-Key': newId() } } as const;
    const [first, again] = [await service.ask('POST', JOBS, options), await service.ask('POST', JOBS, options)];
    expect([first, again].map((one) => one.headers.get('x-job-placement'))).toEqual([NO_WORKSPACE, NO_WORKSPACE]);
    expect(again.body).toEqual(first.body);
  });

  it('hides versions from before its placement from the other party', async () => {
    const { id, ...parties } = await unasked();
    const { body: job } = await post({ notes: 'walk-away price 71', client: { name: parties.client.name } });
    const patch = await service.graphql(
      'mutation P($id: UUID!) { updateJob(id: $id, patch: { notes: null, refNumber: "A" }) { versionId } }',
      { id: job.id },
    );
    const place = await service.graphql(
      'mutation P($id: UUID!, $w: UUID!) { placeJob(id: $id, workspace: $w) { versionId } }',
      { id: job.id, w: id },
    );
    await service.ask('PATCH', `/workspaces/${id}/jobs/${job.id}`, { as: 'vendor', body: { refNumber: 'B' } });
    const versionsFor = async (as: Caller) => {
      const query = `query V($id: UUID!) { job(id: $id) {
        versions { number versionId body changes { path before after } }
        older: versions(before: 3) { number body }
      } }`;
      return (await service.graphql(query, { id: job.id }, as)).body.data.job;
    };
    const seen = await versionsFor('vendor');
    expect(seen.versions.map(({ number }: { number: number }) => number)).toEqual([4, 3]);
    expect(seen.versions[1].versionId).toBe(place.body.data.placeJob.versionId);
    expect(seen.older).toEqual([]);
    expect(JSON.stringify(seen)).not.toContain('walk-away');
    const own = await versionsFor('client');
    expect(own.versions.map(({ number }: { number: number }) => number)).toEqual([4, 3, 2, 1]);
    expect(own.versions[2].versionId).toBe(patch.body.data.updateJob.versionId);
    expect(JSON.stringify(own)).toContain('walk-away price 71');
  });
});

describe('a workspace is accepted', () => {
  it('by the tenant that opened it, and by the other one through acceptWorkspace', async () => {
    const { id, client, vendor } = await unasked();
    const job = { client: { name: client.name }, vendor: { name: vendor.name } };
    expect(await acceptedBy(id)).toEqual([vendor.id]);
    expect(placed(await post(job, 'vendor'))).toEqual([id, null]);
    expect(placed(await post(job))).toEqual([undefined, NO_WORKSPACE]);
    expect(await call('acceptWorkspace', id, 'client')).toEqual([client.id, vendor.id]);
    expect(await call('acceptWorkspace', id, 'client')).toEqual([client.id, vendor.id]);
    expect(placed(await post(job))).toEqual([id, null]);
  });

  it('by whoever writes in it, through every API, and stays so in every version', async () => {
    const writes: Readonly<Record<string, (id: string) => Promise<Answer>>> = {
      legacy: (id) => service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: {} }),
      v2: (id) =>
        service.ask('POST', `/v2/workspaces/${id}/documents`, {
          as: 'client',
          body: { type: 'svc.inspection.job', body: { status: 'active', activity: 'load' } },
        }),
      catalog: (id) =>
        service.ask('POST', `/workspaces/${id}/catalogs/products`, { as: 'client', body: { name: 'P' } }),
      description: (id) =>
        service.ask('PATCH', `/v2/workspaces/${id}`, { as: 'client', body: { body: { description: 'd' } } }),
      change: async (id) => {
        const { body } = await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'vendor', body: {} });
        return service.ask('PATCH', `/workspaces/${id}/jobs/${body.id}`, { as: 'client', body: { notes: 'c' } });
      },
      placeJob: async (id) => {
        const { body } = await post({ refNumber: 'p' });
        const mutation = 'mutation P($id: UUID!, $w: UUID!) { placeJob(id: $id, workspace: $w) { id } }';
        return service.graphql(mutation, { id: body.id, w: id });
      },
    };
    for (const [name, write] of Object.entries(writes)) {
      const { id, client, vendor } = await unasked();
      const answer = await write(id);
      expect([name, [200, 201].includes(answer.status), answer.text]).toEqual([name, true, answer.text]);
      expect([name, await acceptedBy(id)]).toEqual([name, [client.id, vendor.id]]);
      expect([name, await call('declineWorkspace', id, 'client')]).toEqual([name, 'CONFLICT']);
      await service.ask('PATCH', `/v2/workspaces/${id}`, { as: 'vendor', body: { body: { description: newId() } } });
      expect([name, await acceptedBy(id)]).toEqual([name, [client.id, vendor.id]]);
    }
  });

  it('by nobody who only reads it, or deletes what another put into it', async () => {
    const { id, vendor } = await unasked();
    const planted = await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'vendor', body: {} });
    await service.ask('GET', `/workspaces/${id}/jobs`, { as: 'client' });
    expect((await service.ask('DELETE', `/workspaces/${id}/jobs/${planted.body.id}`, { as: 'client' })).status).toBe(
      200,
    );
    expect(await acceptedBy(id)).toEqual([vendor.id]);
  });
});

describe('declineWorkspace', () => {
  it('removes the workspace and its contents from the lists of that tenant only, until it accepts', async () => {
    const { id, client } = await unasked();
    const job = await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'vendor', body: {} });
    const inAll = async (as: Caller) => {
      const query = `query All($id: UUID!, $organization: UUID!) {
        jobs(first: 1000) { totalCount nodes { id } }
        workspaces(first: 1000, where: { id: { in: [$id] } }) { nodes { id } }
        organization(id: $organization) { workspaces { nodes { id } } }
      }`;
      const variables = { id, organization: client.id };
      const { data } = (await service.graphql(query, variables, as)).body;
      const has = (nodes: { id: string }[], wanted: string) => nodes.some((node) => node.id === wanted);
      return [
        has(data.jobs.nodes, job.body.id),
        has(data.workspaces.nodes, id),
        has(data.organization.workspaces.nodes, id),
        (await listed('/workspaces?limit=1000', as)).includes(id),
        (await listed(`${JOBS}?limit=1000`, as)).includes(job.body.id),
      ];
    };
    expect(await inAll('client')).toEqual([true, true, true, true, true]);
    await call('declineWorkspace', id, 'client');
    expect(await inAll('client')).toEqual([false, false, false, false, false]);
    expect(await inAll('vendor')).toEqual([true, true, true, true, true]);
    expect((await service.ask('GET', `/v2/workspaces/${id}`, { as: 'client' })).status).toBe(200);
    await call('acceptWorkspace', id, 'client');
    expect(await inAll('client')).toEqual([true, true, true, true, true]);
    await call('declineWorkspace', id, 'client'); // what was accepted only by the mutation can be declined again
    expect(await inAll('client')).toEqual([false, false, false, false, false]);
    await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: {} });
    expect(await inAll('client')).toEqual([true, true, true, true, true]);
  });

  it('excludes the jobs of the workspace from overall statistics and subscriptions', async () => {
    const { id } = await unasked();
    const status = `declined ${newId()}`;
    const { body: job } = await service.ask('POST', `/workspaces/${id}/jobs`, { as: 'vendor', body: {} });
    const jobsOf = async (as: Caller) => {
      await allCounted(service);
      const query = '{ viewer { statistics { jobs { status activity jobs } } } }';
      const { data } = (await service.graphql(query, {}, as)).body;
      return data.viewer.statistics.jobs.reduce((sum: number, { jobs }: { jobs: number }) => sum + jobs, 0);
    };
    const [before, theirs] = [await jobsOf('client'), await jobsOf('vendor')];
    await call('declineWorkspace', id, 'client');
    expect([await jobsOf('client'), await jobsOf('vendor')]).toEqual([before - 1, theirs]);
    await allRecorded(service);
    const follow = (variables: object) => EventClient.open(service, { as: 'client', variables });
    const [all, one] = [await follow({}), await follow({ workspace: id })];
    await service.ask('PATCH', `/workspaces/${id}/jobs/${job.id}`, { as: 'vendor', body: { notes: status } });
    const { body: own } = await post({ notes: status });
    expect((await one.events(1)).map(({ documentId }) => documentId)).toEqual([job.id]);
    expect((await all.events(1)).map(({ documentId }) => documentId)).toEqual([own.id]);
    for (const client of [all, one]) client.close();
  });

  it('is CONFLICT for the tenant that opened it, FORBIDDEN for strangers, NOT_FOUND for no workspace', async () => {
    const { id } = await unasked();
    expect(await call('declineWorkspace', id, 'vendor')).toBe('CONFLICT');
    for (const mutation of ['acceptWorkspace', 'declineWorkspace'] as const) {
      expect(await call(mutation, id, 'stranger')).toBe('FORBIDDEN');
      expect(await call(mutation, id, 'reader')).toBe('FORBIDDEN');
      expect(await call(mutation, newId(), 'client')).toBe('NOT_FOUND');
    }
    expect(await acceptedBy(id)).toHaveLength(1);
  });

  it('and a concurrent first write end in either order: a workspace written in is accepted', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, client, vendor } = await unasked();
      const [written, declined] = await Promise.all([
        service.ask('POST', `/workspaces/${id}/jobs`, { as: 'client', body: {} }),
        call('declineWorkspace', id, 'client'),
        service.ask('PATCH', `/v2/workspaces/${id}`, { as: 'vendor', body: { body: { description: `${round}` } } }),
      ]);
      expect(written.status).toBe(201);
      expect(['CONFLICT', [vendor.id], [client.id, vendor.id]]).toContainEqual(declined);
      expect(await acceptedBy(id)).toEqual([client.id, vendor.id]);
      expect(await listed('/workspaces?limit=1000', 'client')).toContain(id);
    }
  });

  it('and a concurrent acceptance leave one of the two, never both or neither', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, client, vendor } = await unasked();
      await Promise.all([
        call('acceptWorkspace', id, 'client'),
        call('declineWorkspace', id, 'client'),
        service.ask('PATCH', `/v2/workspaces/${id}`, { as: 'vendor', body: { body: { description: `${round}` } } }),
      ]);
      const isListed = (await listed('/workspaces?limit=1000', 'client')).includes(id);
      expect(await acceptedBy(id)).toEqual(isListed ? [client.id, vendor.id] : [vendor.id]);
    }
  });
});
