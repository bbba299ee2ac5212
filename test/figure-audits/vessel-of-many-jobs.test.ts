import { beforeAll, expect, it } from 'vitest';
import { startProjectingAudits } from '../../src/figure-audit-projection/audit-projector.ts';
import { commandsDuring } from '../profile.ts';
import { makeWorkspace, serviceFixture } from '../service.ts';
import { VoyageMaker } from './voyage-maker.ts';

/** As many jobs of a vessel as count for its factor. */
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

/** A voyage that is still without figures, and how often the voyages of its vessel are read because of it. */
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

it('a vessel is not looked at for each job once none of its newest jobs counts, until an older one counts again', async () => {
  expect([await isKept(), await isComputed()]).toEqual([true, true]);
  const others = Array.from({ length: COUNTED }, () => ({
    transports: [{ name: 'Aster' }],
    status: 'complete',
    activity: 'sample',
  }));
  await make.put('job', others, `${make.path}/bulk`);
  expect(await looksForOne()).toBe(1);
  expect([await isKept(), await isComputed()]).toEqual([false, false]);
  expect(await looksForOne()).toBe(0);
  const found = await service.ask('GET', `${make.path}?type=svc.inspection.job&limit=20&offset=2`, { as: 'vendor' });
  for (const { id } of found.body.slice(0, 12)) {
    const { status, text } = await service.ask('DELETE', `${make.path}/${id}`, { as: 'vendor' });
    expect(status, text).toBe(200);
  }
  await kept();
  expect(await looksForOne()).toBe(1);
  expect([await isKept(), await isComputed()]).toEqual([true, true]);
});
