// Takes 30 s: gateways are suspended until another one may take over the keys of its requests.
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CALLERS } from '../../service.ts';
import { type FaultFixture, mark, startFaultFixture } from '../fault-fixture.ts';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.ts';

let fixture: FaultFixture;
/** Each is suspended while its requests read such a collection. */
let late: readonly (GatewayProcess & { readonly reads: string })[] = [];

beforeAll(async () => {
  fixture = await startFaultFixture();
  const { mongod, service } = fixture;
  const database = service.stores.db.databaseName;
  const started = ['workspaces', 'reference_records'].map(async (reads) => ({
    reads,
    ...(await startGatewayProcess(mongod.uri, database, { METRICS_PORT: '0' })),
  }));
  late = await Promise.all(started);
});
afterAll(async () => {
  for (const { gateway } of late) gateway.kill('SIGKILL');
  await fixture.stop();
});

/** A request with a key, and what follows its retry: its creation is deleted, its record is changed. */
interface Keyed {
  /** The collection it reads first, once it has claimed its key. */
  readonly reads: string;
  readonly method: string;
  readonly path: string;
  readonly body: object;
  readonly after: { readonly method: string; readonly path: string; readonly body?: object };
}

const creation = (path: string, body: object): Keyed => ({
  reads: 'workspaces',
  method: 'POST',
  path,
  body,
  after: { method: 'DELETE', path: path.replace('/bulk', '') },
});

async function send(url: string, { method, path, body }: Keyed, key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${CALLERS.client}`, 'Content-Type': 'application/json' };
  const init = { method, headers: { ...headers, 'Idempotency-Key': key }, body: JSON.stringify(body) };
  return (await fetch(`${url}${path}`, init)).status;
}

/** The other gateway's answer, as soon as it may take over the key. */
async function repeat({ method, path, body }: Keyed, key: string) {
  const again = () => fixture.service.ask(method, path, { as: 'client', body, headers: { 'Idempotency-Key': key } });
  for (;;) {
    const answer = await again();
    if (answer.body.code !== 'IDEMPOTENCY_IN_PROGRESS') return answer;
  }
}

it('requests whose gateways are suspended until after their retries elsewhere and later changes take no more effect', async () => {
  const { mongod, service, workspace } = fixture;
  const here = `/workspaces/${workspace.id}`;
  const port = `/api/rest/1.0/ports/${mark()}`;
  const body = { location: { name: mark() } };
  const requests: Keyed[] = [
    creation(`${here}/catalogs/products`, { name: mark() }),
    creation(`${here}/jobs`, body),
    creation(`/v2${here}/documents/bulk`, { type: 'svc.inspection.job', body: [body] }),
    {
      reads: 'reference_records',
      method: 'PUT',
      path: port,
      body: { name: 'First' },
      after: { method: 'PUT', path: port, body: { name: 'Second' } },
    },
  ];
  const keys = requests.map(mark);
  const first: Promise<number>[] = [];
  for (const { url, gateway, reads } of late) {
    // One collection at a time: MongoDB itself reads others for a claim.
    const namespace = `${service.stores.db.databaseName}.${reads}`;
    const data = { blockConnection: true, blockTimeMS: 3_000 };
    await mongod.fail({ commands: ['find', 'aggregate'], namespace, data });
    for (const [i, request] of requests.entries()) {
      if (request.reads === reads) first.push(send(url, request, keys[i] ?? ''));
    }
    await expect.poll(() => fixture.count('idempotency', {}), { interval: 50 }).toBe(first.length);
    gateway.kill('SIGSTOP');
    await mongod.heal();
  }
  const repeated = await Promise.all(requests.map((request, i) => repeat(request, keys[i] ?? '')));
  expect(repeated.map(({ status, headers }) => [status, headers.get('idempotency-replayed')])).toEqual(
    requests.map(() => [201, null]),
  );
  const ids = repeated.map((answer) => [answer.body].flat()[0].id as string);
  for (const [i, { after }] of requests.entries()) {
    const path = after.method === 'PUT' ? after.path : `${after.path}/${ids[i]}`;
    expect((await service.ask(after.method, path, { as: 'client', body: after.body })).status).toBe(200);
  }
  for (const { gateway } of late) gateway.kill('SIGCONT');
  await Promise.all(first); // 503 while a gateway still considers the database slow
  // They still continue their requests; once they stop, those are done.
  for (const { gateway } of late) gateway.kill('SIGTERM');
  await Promise.all(late.map(({ gateway }) => once(gateway, 'exit')));
  const left = [
    await fixture.count('catalog_records', { _id: ids[0] }),
    await fixture.count('documents', { _id: { $in: ids } }),
  ];
  const { body: last } = await service.ask('GET', port, { as: 'client' });
  expect([...left, last.name]).toEqual([0, 0, 'Second']);
});
