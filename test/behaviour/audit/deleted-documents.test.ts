import { v7 as newId } from 'uuid';
import { describe, expect, it } from 'vitest';
import { DEMO_KEYS } from '../../../src/demo/principals.ts';
import { EventClient } from '../../events/event-client.ts';
import { filePart, formOf, sendForm } from '../../rest-compat/form.ts';
import { type Caller, makeWorkspace, serviceFixture } from '../../service.ts';

const service = serviceFixture({ records: true });

const idOfKey = (key: string) => DEMO_KEYS.find((one) => one.key === key)?.id;
const CLIENT = idOfKey('demo-client-key');
const VENDOR = idOfKey('demo-vendor-key');

const DELETED = `query Deleted($workspace: UUID, $first: Int, $after: String, $types: [String!]) {
  deletedDocuments(workspace: $workspace, first: $first, after: $after, types: $types) {
    nodes {
      id type workspaceId parentId versionId createdBy deletedAt deletedBy deleter { id name } body
      versions { versionId number modifiedBy body }
    }
    pageInfo { hasNextPage endCursor }
    totalCount
  }
}`;

const deleted = async (variables: object, as: Caller = 'client') => {
  const { body } = await service.graphql(DELETED, variables, as);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return body.data.deletedDocuments;
};
const make = async (path: string, body: object, as: Caller = 'client') => {
  const answer = await service.ask('POST', path, { as, body });
  expect([answer.status, answer.text]).toEqual([201, answer.text]);
  return answer.body;
};
const remove = async (path: string, as: Caller = 'client') =>
  expect((await service.ask('DELETE', path, { as })).status).toBe(200);

describe('a deleted entity', () => {
  it('is shown to both parties, with who, when, the last body and all versions', async () => {
    const { id: workspace } = await makeWorkspace(service);
    const jobs = `/workspaces/${workspace}/jobs`;
    const { id } = await make(jobs, { xref: 'first', keepsake: { deep: [1, 2.5, null] } });
    for (const xref of ['second', 'third']) {
      await service.ask('PATCH', `${jobs}/${id}`, { as: 'client', body: { xref } });
    }
    const last = await service.ask('GET', `/v2/workspaces/${workspace}/documents/${id}`, { as: 'client' });
    await remove(`${jobs}/${id}`, 'vendor');
    for (const party of ['client', 'vendor'] as const) {
      const { nodes, totalCount } = await deleted({ workspace }, party);
      expect(totalCount).toBe(1);
      expect(nodes).toMatchObject([
        {
          id,
          type: 'svc.inspection.job',
          workspaceId: workspace,
          versionId: last.body.version_id,
          createdBy: CLIENT,
          deletedBy: VENDOR,
          deleter: { id: VENDOR, name: 'Demo vendor (inspection company)' },
          body: last.body.body,
          versions: [
            { number: 3, versionId: last.body.version_id, body: { xref: 'third', keepsake: { deep: [1, 2.5, null] } } },
            { number: 2, modifiedBy: CLIENT, body: { xref: 'second' } },
            { number: 1, modifiedBy: CLIENT, body: { xref: 'first' } },
          ],
        },
      ]);
      expect(Math.abs(Date.now() - Date.parse(nodes[0].deletedAt))).toBeLessThan(10_000);
    }
  });

  it('is forbidden to strangers, like its workspace, and not found where there was none', async () => {
    const { id: workspace } = await makeWorkspace(service);
    const codeOf = async (variables: object, as: Caller | null) =>
      (await service.graphql(DELETED, variables, as)).body.errors[0].extensions.code;
    expect(await codeOf({ workspace }, 'stranger')).toBe('FORBIDDEN');
    expect(await codeOf({ workspace: newId() }, 'stranger')).toBe('NOT_FOUND');
    expect(await codeOf({ workspace }, null)).toBe('UNAUTHENTICATED');
    await remove(`/v2/workspaces/${workspace}`);
    expect(await codeOf({ workspace }, 'stranger')).toBe('FORBIDDEN');
    expect(await deleted({ workspace })).toMatchObject({ nodes: [] });
    expect((await deleted({}, 'stranger')).nodes).toEqual([]);
  });

  it('is not found by the id of another deleted entity', async () => {
    const { id: workspace } = await makeWorkspace(service);
    const job = await make(`/workspaces/${workspace}/jobs`, {});
    const organization = await make('/v2/organizations', { name: `Fenwick ${newId()}`, category: 'shipper' });
    await remove(`/workspaces/${workspace}/jobs/${job.id}`);
    await remove(`/v2/organizations/${organization.id}`);
    for (const { id } of [job, organization])
      for (const as of ['client', 'stranger'] as const) {
        const { body } = await service.graphql(DELETED, { workspace: id }, as);
        expect(body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
      }
  });

  it('includes everything deleted with it: children, their children, attachments', async () => {
    const { id: workspace } = await makeWorkspace(service);
    const job = await make(`/workspaces/${workspace}/jobs`, { xref: 'root' });
    const child = await make(`/v2/workspaces/${workspace}/documents`, {
      type: 'svc.inspection.job',
      body: { parent: job.id },
    });
    const timelog = await make(`/workspaces/${workspace}/jobs/${child.id}/timelog`, { description: 'arrived' });
    const files = `/v2/workspaces/${workspace}/documents/${child.id}/attachments`;
    const file = await sendForm(service, files, formOf(filePart('bytes', { disposition: 'filename="seal.pdf"' })));
    await remove(`/workspaces/${workspace}/jobs/${job.id}`);
    const { nodes } = await deleted({ workspace }, 'vendor');
    expect(new Set(nodes.map(({ id }: { id: string }) => id))).toEqual(
      new Set([job.id, child.id, timelog.id, file.body.id]),
    );
    expect(new Set(nodes.map(({ deletedBy }: { deletedBy: string }) => deletedBy))).toEqual(new Set([CLIENT]));
    const attachment = nodes.find(({ id }: { id: string }) => id === file.body.id);
    expect(attachment).toMatchObject({ parentId: child.id, body: { caption: 'seal.pdf', size: 5 } });
  });

  it('includes catalog records and synonyms on request, and a single attachment', async () => {
    const { id: workspace } = await makeWorkspace(service);
    const catalog = `/v2/workspaces/${workspace}/xrefs/products`;
    const [a, b] = [await make(catalog, { name: 'A' }), await make(catalog, { name: 'B' })];
    await service.ask('PATCH', `${catalog}/${a.id}`, { as: 'client', body: { body: { name: 'A2' } } });
    const link = await make(`${catalog}/${a.id}/synonyms/${b.id}`, {});
    const job = await make(`/workspaces/${workspace}/jobs`, { xref: 'kept' });
    const files = `/v2/workspaces/${workspace}/documents/${job.id}/attachments`;
    const file = await sendForm(service, files, formOf(filePart('bytes')));
    await remove(`${files}/${file.body.id}`);
    await remove(`${catalog}/${a.id}`);
    expect((await deleted({ workspace })).nodes).toMatchObject([{ id: file.body.id }]);
    const types = ['svc.bridge.externalReference', 'svc.bridge.synonym'];
    const { nodes } = await deleted({ workspace, types });
    expect(new Set(nodes.map(({ id }: { id: string }) => id))).toEqual(new Set([a.id, link.id]));
    const record = nodes.find(({ id }: { id: string }) => id === a.id);
    expect(record.versions.map(({ body }: { body: { name: string } }) => body.name)).toEqual(['A2', 'A']);
    const { body } = await service.graphql(DELETED, { workspace, types: ['svc.none'] });
    expect(body.errors[0].extensions.code).toBe('INVALID_INPUT');
  });

  it('of no workspace is visible only to the tenant that sent it', async () => {
    const job = await make('/bridge/v1/data/jobs', { xref: 'draft', inspector: 'nobody' });
    await service.graphql('mutation ($id: UUID!) { deleteJob(id: $id) { id } }', { id: job.id });
    const found = async (as: Caller) =>
      (await deleted({ first: 100 }, as)).nodes.filter(({ id }: { id: string }) => id === job.id);
    expect(await found('client')).toMatchObject([{ workspaceId: null, deletedBy: CLIENT }]);
    expect(await found('vendor')).toEqual([]);
    expect(await found('stranger')).toEqual([]);
  });

  it('is read page by page, the latest first', async () => {
    const { id: workspace } = await makeWorkspace(service);
    const ids: string[] = [];
    for (let i = 0; i < 7; i++) ids.unshift((await make(`/workspaces/${workspace}/jobs`, { xref: `${i}` })).id);
    for (const id of [...ids].reverse()) await remove(`/workspaces/${workspace}/jobs/${id}`);
    const read: string[] = [];
    for (let after: string | undefined; ; ) {
      const { nodes, pageInfo } = await deleted({ workspace, first: 3, after });
      read.push(...nodes.map(({ id }: { id: string }) => id));
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    expect(read).toEqual(ids);
  });

  it('keeps what concurrent changes and deletions wrote: every version up to the last', async () => {
    const { id: workspace } = await makeWorkspace(service);
    for (let round = 0; round < 5; round++) {
      const { id } = await make(`/workspaces/${workspace}/jobs`, { xref: '0' });
      const path = `/workspaces/${workspace}/jobs/${id}`;
      const patches = Array.from({ length: 8 }, (_, i) =>
        service.ask('PATCH', path, { as: 'client', body: { xref: `${i + 1}` } }),
      );
      const removal = service.ask('DELETE', path, { as: 'vendor' });
      const statuses = (await Promise.all(patches)).map(({ status }) => status);
      expect((await removal).status).toBe(200);
      const [node] = (await deleted({ workspace, first: 1 })).nodes;
      const changed = statuses.filter((status) => status === 200).length;
      expect(node).toMatchObject({ id, versions: { length: changed + 1 } });
      const left = await service.stores.db.collection('versions').countDocuments({
        entity: id,
        expires_at: { $exists: false },
      });
      expect(left).toBe(0);
    }
  });

  it('is reported to subscribers with who deleted it and its last version', async () => {
    const { id: workspace } = await makeWorkspace(service);
    const stream = await EventClient.open(service, { variables: { workspace } });
    const job = await make(`/workspaces/${workspace}/jobs`, { xref: 'short' });
    const timelog = await make(`/workspaces/${workspace}/jobs/${job.id}/timelog`, { description: 'arrived' }, 'vendor');
    const versionOf = async (id: string) =>
      (await service.ask('GET', `/v2/workspaces/${workspace}/documents/${id}`, { as: 'client' })).body.version_id;
    const versions = new Map([
      [job.id, await versionOf(job.id)],
      [timelog.id, await versionOf(timelog.id)],
    ]);
    await remove(`/workspaces/${workspace}/jobs/${job.id}`, 'vendor');
    const events = await stream.events(4);
    stream.close();
    const gone = events.filter(({ kind }: { kind: string }) => kind === 'DELETED');
    expect(new Map(gone.map((event) => [event.documentId, event.versionId]))).toEqual(versions);
    expect(gone.map(({ by, workspaceId }) => [by, workspaceId])).toEqual([
      [VENDOR, workspace],
      [VENDOR, workspace],
    ]);
  });
});
