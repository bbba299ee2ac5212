import { beforeAll, describe, expect, it } from 'vitest';
import {
  dueAfter,
  isOfEarlierVersion,
  type KeptVoyage,
  type StoredAudit,
  sameAudit,
} from '../../src/store/figure-audits/kept-audit.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';
import { earlierForm, putEarlierForm } from './earlier-form.ts';
import { misjudgedJobs } from './kept-and-wanted.ts';
import { VoyageMaker } from './voyage-maker.ts';

describe('an audit kept by an earlier version', () => {
  const share = '["load","2026-03-01T00:00:00.000Z",null,null,{"value":"2"},{"value":"1"}]';
  const audit = (voyage: KeptVoyage | undefined): StoredAudit => ({
    ...{ _id: 'a', workspace: 'w', readers: [], created_at: new Date(0), n: 1, findings: [], vessels: ['v'] },
    ...(voyage && { voyage, compared: true as const }),
  });
  const kept = audit({ kind: 'load', share, ratio: '2' });

  it.each([
    ['that counts', kept],
    ['that is only compared', audit({ kind: 'load', share: '', ratio: '2' })],
    ['whose figures make no ratio', audit({ kind: 'load', share: '' })],
  ])('equals its new form for a voyage %s, so that nothing else is due', (_what, now) => {
    const earlier = earlierForm(now);
    expect([isOfEarlierVersion(earlier), isOfEarlierVersion(now)]).toEqual([true, false]);
    expect([sameAudit(earlier, now), sameAudit(now, earlier)]).toEqual([true, true]);
    expect(dueAfter(earlier, now)).toEqual([]);
  });

  it('differs when another figure counts', () => {
    const other = audit({ kind: 'load', share: share.replace('"2"', '"3"'), ratio: '3' });
    expect(sameAudit(earlierForm(kept), other)).toBe(false);
    expect(dueAfter(earlierForm(kept), other)).toEqual(['vessel w v']);
  });

  it('counts as complete when there is no voyage', () => {
    expect(isOfEarlierVersion(audit(undefined))).toBe(false);
  });

  it('compares ratios only if both have one', () => {
    expect(sameAudit(kept, audit({ kind: 'load', share, ratio: '1' }))).toBe(false);
  });
});

describe('voyages without figures kept by an earlier version', () => {
  const service = serviceFixture({ audits: true });
  const workspace = workspaceFixture(service);
  const audits = () => service.stores.db.collection<StoredAudit>('job_audits');
  let make: VoyageMaker;
  beforeAll(async () => {
    make = new VoyageMaker(service, workspace.id);
    for (let i = 0; i < 8; i++) await make.voyage(1);
    const underWay = { status: 'active', activity: 'discharge', tripNumber: '7' };
    await make.put('job', { ...underWay, transports: [{ name: 'Aster' }] });
    await service.stores.audits.freshness.passed();
  });

  it('are all audited once another voyage changes, and have kept figures from then on', async () => {
    const all = await audits().distinct('_id', { voyage: { $exists: true } });
    expect(all).toHaveLength(9);
    const [forgotten = ''] = all;
    await putEarlierForm(service.stores.db, all);
    // A verdict that a predecessor did not get to.
    const findings = [{ rule: 'SHIP_SHORE_FACTOR', document: 'a report' }];
    await audits().updateOne({ _id: forgotten }, { $set: { findings } });
    expect(await misjudgedJobs(service)).toEqual([forgotten]);
    await make.voyage(1.0001);
    expect(await misjudgedJobs(service)).toEqual([]);
    expect((await audits().find().toArray()).filter(isOfEarlierVersion)).toEqual([]);
    const told = await audits().distinct('_id', {
      $or: [{ appeared: { $exists: true } }, { settled: { $exists: true } }],
    });
    expect(told).toEqual([forgotten]);
  });

  it('also have those audited whose own figures are kept', async () => {
    const others = await audits().distinct('_id', { compared: true });
    const near = await make.voyage(1.0029);
    const late = await make.voyage();
    await make.report(late, 'source', 99_900);
    expect(await misjudgedJobs(service)).toEqual([]);
    await putEarlierForm(service.stores.db, others);
    await make.report(late, 'destination', 100_000);
    expect(await misjudgedJobs(service)).toEqual([]);
    expect(await audits().distinct('_id', { 'findings.rule': 'SHIP_SHORE_FACTOR' })).toEqual([near]);
  });
});
