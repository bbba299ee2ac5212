// Takes 30 s: a gateway is suspended until another one may take over the keys of its requests.
import { once } from 'node:events';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CALLERS } from '../../service.ts';
import { type FaultFixture, mark, startFaultFixture } from '../fault-fixture.ts';
import { type GatewayProcess, startGatewayProcess } from '../gateway-process.ts';

let fixture: FaultFixture;
let late: GatewayProcess;

beforeAll(async () => {
  fixture = await startFaultFixture();
  const { mongod, service } = fixture;
  late = await startGatewayProcess(mongod.uri, service.stores.db.databaseName, { METRICS_PORT: '0' });
});
afterAll(async () => {
  late.gateway.kill('SIGKILL');
  await fixture.stop();
});

/** A request with a key, and what follows its retry: its creation is deleted, its record is changed. */
interface Keyed {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  readonly after: { readonly method: string; readonly path: string; readonly body?: object };
}

const creation = (path: string, body: object): Keyed => ({
  method: 'POST',
  path,
  body,
  after: { method: 'DELETE', path: path.replace('/bulk', '') },
});

async function send({ method, path, body }: Keyed, key: string): Promise<number> {
  const headers = { Authorization: `Bearer ${CALLERS.client}`, 'Content-Type': 'application/json' };
  const init = { method, headers: { ...headers, 'Idempotency-Key': key }, body: JSON.stringify(body) };
  return (await fetch(`${late.url}${path}`, init)).status;
}

/** The other gateway's answer, as soon as it may take over the key. */
async function repeat({ method, path, body }: Keyed, key: string) {
  const again = () => fixture.service.ask(method, path, { as: 'client', body, headers: { 'Idempotency-Key': key } });
  for (;;) {
    const answer = await again();
    if (answer.body.code !== 'IDEMPOTENCY_IN_PROGRESS') return answer;
  }
}

it('a request whose gateway is suspended until after its retry elsewhere and later changes takes no more effect', async () => {
  const { mongod, service, workspace } = fixture;
  const here = `/workspaces/${workspace.id}`;
  const port = `/api/rest/1.0/ports/${mark()}`;
  const body = { location: { name: mark() } };
  const requests: Keyed[] = [
    creation(`${here}/catalogs/products`, { name: mark() }),
    creation(`${here}/jobs`, body),
    creation(`/v2${here}/documents/bulk`, { type: 'svc.inspection.job', body: [body] }),
    {
      method: 'PUT',
      path: port,
      body: { name: 'First' },
      after: { method: 'PUT', path: port, body: { name: 'Second' } },
    },
  ];
  const keys = requests.map(mark);
  // Keys are claimed by inserts; then each request reads.
  await mongod.fail({ commands: ['find', 'aggregate'], data: { blockConnection: true, blockTimeMS: 3_000 } });
  const first = Promise.all(requests.map((request, i) => send(request, keys[i] ?? '')));
  await expect.poll(() => fixture.count('idempotency', {}), { interval: 50 }).toBe(requests.length);
  late.gateway.kill('SIGSTOP');
  await mongod.heal();
  const repeated = await Promise.all(requests.map((request, i) => repeat(request, keys[i] ?? '')));
  expect(repeated.map(({ status, headers }) => [status, headers.get('idempotency-replayed')])).toEqual(
    requests.map(() => [201, null]),
  );
  const ids = repeated.map((answer) => [answer.body].flat()[0].id as string);
  for (const [i, { after }] of requests.entries()) {
    const path = after.method === 'PUT' ? after.path : `${after.path}/${ids[i]}`;
    expect((await service.ask(after.method, path, { as: 'client', body: after.body })).status).toBe(200);
  }
  late.gateway.kill('SIGCONT');
  await first; // 503 while the gateway still considers the database slow
  // It still continues its requests; once it stops, they are done.
  late.gateway.kill('SIGTERM');
  await once(late.gateway, 'exit');
  const left = [
    await fixture.count('catalog_records', { _id: ids[0] }),
    await fixture.count('documents', { _id: { $in: ids } }),
  ];
  const { body: last } = await service.ask('GET', port, { as: 'client' });
  expect([...left, last.name]).toEqual([0, 0, 'Second']);
});
