import { setTimeout as sleep } from 'node:timers/promises';
import { Freshness } from '../../src/store/change-streams/freshness.ts';
import { EVENTS } from '../../src/store/events/event-log.ts';
import { withKeyOf } from '../key-with-scopes.ts';
import { patiently } from '../patiently.ts';
import type { Caller, TestService } from '../service.ts';

export const JOB = 'svc.inspection.job';

/** A webhook of a tenant; the demo's only key with the scope admin belongs to the client's tenant. */
// biome-ignore lint/suspicious/noExplicitAny: an answer is looked at member by member
export async function makeWebhook(service: TestService, body: object, as: Caller = 'admin'): Promise<any> {
  const answer = await patiently(() => service.ask('POST', '/v2/webhooks', { as, body }));
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** Creates a job, and returns its id. */
export async function makeJob(service: TestService, workspace: string, body: object = {}): Promise<string> {
  const path = `/v2/workspaces/${workspace}/documents`;
  const answer = await patiently(() => service.ask('POST', path, { as: 'client', body: { type: JOB, body } }));
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body.id;
}

export const patchJob = (service: TestService, place: { workspace: string; id: string }, body: object) =>
  service.ask('PATCH', `/v2/workspaces/${place.workspace}/documents/${place.id}`, { as: 'client', body: { body } });

/** The deliveries of a webhook, once they match. */
export async function deliveriesOf(
  service: TestService,
  id: string,
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at member by member
  fits: (deliveries: any[]) => boolean,
  query = '',
  // biome-ignore lint/suspicious/noExplicitAny: an answer is looked at member by member
): Promise<any[]> {
  for (const end = performance.now() + 40_000; ; ) {
    const { body } = await service.ask('GET', `/v2/webhooks/${id}/deliveries${query}`, { as: 'admin' });
    if (fits(body) || performance.now() > end) return body;
    await sleep(50);
  }
}

/** Waits until events are being recorded. */
export async function projectorBegins({ stores }: Pick<TestService, 'stores'>): Promise<void> {
  const leases = stores.db.collection<{ _id: string }>('leases');
  while (!(await leases.findOne({ _id: 'events', from: { $exists: true } }))) await sleep(20);
}

/** Waits until all earlier writes have their events, however long that takes: a subscription begins with those that have none yet. */
export async function allRecorded({ stores }: Pick<TestService, 'stores'>): Promise<void> {
  await new Freshness(stores.db, EVENTS).passed();
}

/** The request options of an administrator of a tenant, with a new key. */
export const asAdminOf = (tenant: Parameters<typeof withKeyOf>[0], service: Pick<TestService, 'stores'>) =>
  withKeyOf(tenant, ['read', 'write', 'admin'], service);
