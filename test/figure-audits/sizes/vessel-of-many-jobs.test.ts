import { beforeAll, expect, it } from 'vitest';
import { startProjectingAudits } from '../../../src/figure-audit-projection/audit-projector.ts';
import { commandsDuring } from '../../profile.ts';
import { makeWorkspace, serviceFixture } from '../../service.ts';
import { VoyageMaker } from '../voyage-maker.ts';

/** The number of voyages of a vessel considered for its factor. */
const COUNTED = 200;

const service = serviceFixture();
const log = { info: () => undefined, warn: () => undefined };
let make: VoyageMaker;
let judged: string;

const kept = () => service.stores.audits.freshness.passed();
const isKept = async () => {
  await kept();
  return (await service.stores.audits.byIds([judged])).get(judged)?.findings.some(isOfVessel);
};
const isOfVessel = ({ rule }: { readonly rule: string }) => rule === 'SHIP_SHORE_FACTOR';
async function isComputed(): Promise<boolean> {
  const { body } = await service.graphql(`query($id: UUID!) { job(id: $id) { figureAudit { findings { rule } } } }`, {
    id: judged,
  });
  expect(body.errors).toBeUndefined();
  return body.data.job.figureAudit.findings.some(isOfVessel);
}

/** Creates a voyage without figures; returns how often the voyages of its vessel are read because of it. */
async function looksForOne(): Promise<number> {
  const entries = await commandsDuring(service, async () => {
    await make.voyage();
    await kept();
  });
  return entries.filter(({ command }) => 'voyage' in (command.filter ?? {})).length;
}

beforeAll(async () => {
  make = new VoyageMaker(service, (await makeWorkspace(service)).id);
  startProjectingAudits(service.stores, log);
  await kept();
  for (let i = 0; i < 6; i++) await make.voyage(1);
  judged = await make.voyage(1.01);
});

const crowd = (activity: string) =>
  make.put(
    'job',
    Array.from({ length: COUNTED }, () => ({ transports: [{ name: 'Aster' }], status: 'complete', activity })),
    `${make.path}/bulk`,
  );

it('jobs that are not voyages displace no voyage that counts, and trigger no look at the vessel', async () => {
  await looksForOne();
  await crowd('sample');
  expect([await isKept(), await isComputed()]).toEqual([true, true]);
  expect(await looksForOne()).toBe(0);
});

it('a vessel is not checked for each job once none of its newest voyages counts, until an older one counts again', async () => {
  await crowd('discharge');
  expect([await isKept(), await isComputed()]).toEqual([false, false]);
  expect(await looksForOne()).toBe(0);
  const found = await service.ask('GET', `${make.path}?type=svc.inspection.job&limit=20&offset=2`, { as: 'vendor' });
  const [moved, gone] = [found.body.slice(0, 12), found.body.slice(12)] as { id: string }[][];
  for (const { id } of moved ?? []) {
    const body = { body: { status: 'active' } };
    const { status, text } = await service.ask('PATCH', `${make.path}/${id}`, { as: 'vendor', body });
    expect(status, text).toBe(200);
  }
  expect([await isKept(), await isComputed()]).toEqual([true, true]);
  for (const { id } of moved ?? []) {
    const body = { body: { status: 'complete' } };
    await service.ask('PATCH', `${make.path}/${id}`, { as: 'vendor', body });
  }
  expect([await isKept(), await isComputed()]).toEqual([false, false]);
  for (const { id } of [...(moved ?? []), ...(gone ?? [])].slice(0, 12)) {
    const { status, text } = await service.ask('DELETE', `${make.path}/${id}`, { as: 'vendor' });
    expect(status, text).toBe(200);
  }
  expect([await isKept(), await isComputed()]).toEqual([true, true]);
});
