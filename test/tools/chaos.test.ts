import { expect, it } from 'vitest';
import { readOptions } from '../../chaos/options.ts';
import { isGood, linesOf, reportOf } from '../../chaos/report.ts';
import { runChaos } from '../../chaos/run.ts';

const FAULTS_MINUTES = 0.4;
const KILLS = 3;

it('loses and duplicates nothing acknowledged, whatever is killed meanwhile', async () => {
  const said: string[] = [];
  const began = performance.now();
  const say = (line: string): void => void said.push(`${((performance.now() - began) / 1_000).toFixed(0)} s: ${line}`);
  const report = await runChaos({ minutes: FAULTS_MINUTES, seed: 42, isShort: true, leastKills: KILLS, say });
  const told = [...said, ...linesOf(report)].join('\n');
  expect({ lost: report.lost, doubled: report.doubled, wrong: report.wrong, open: report.unanswered }, told).toEqual({
    lost: 0,
    doubled: 0,
    wrong: 0,
    open: 0,
  });
  expect(report.kills, told).toBeGreaterThanOrEqual(KILLS);
  expect(report.acknowledged, told).toBeGreaterThan(100);
  expect(report.subscriptions.events, told).toBeGreaterThan(100);
  expect(report.deliveries.messages, told).toBeGreaterThan(100);
}, 400_000);

it('fails when something is lost', () => {
  const findings = { documents: [{ kind: 'lost', text: 'a job' }] } as const;
  const subscriptions = { streams: 0, events: 0 };
  const deliveries = { messages: 0, doubled: 0 };
  const nothing = {
    seed: 1,
    mongodb: '6',
    intents: [],
    faults: new Map(),
    crashes: 0,
    began: 0,
    ended: 1,
    subscriptions,
    deliveries,
  };
  expect(isGood(reportOf({ ...nothing, findings: {} }))).toBe(true);
  expect(isGood(reportOf({ ...nothing, findings }))).toBe(false);
  expect(linesOf(reportOf({ ...nothing, findings })).join('\n')).toContain('WRONG (documents): lost: a job');
});

it('fails when nobody was answered for longer than an election plus five seconds', () => {
  const quiet = { seed: 1, mongodb: '6', intents: [], faults: new Map(), crashes: 0, findings: {} };
  const report = reportOf({
    ...quiet,
    began: 0,
    ended: 7_000,
    subscriptions: { streams: 0, events: 0 },
    deliveries: { messages: 0, doubled: 0 },
  });
  expect(report.longestWithoutAnswerMs).toBe(7_000);
  expect(isGood(report)).toBe(false);
});

it('fails when one request took longer than an election plus five seconds, the wait for its key and one write', () => {
  const attempt = { at: 0, gateway: 'gateway-1', outcome: 'TimeoutError' };
  const isGoodAfter = (ms: number) => {
    const claim = { noun: 'deletion', entity: 'a job' } as const;
    const answer = { status: 200, body: undefined, headers: new Headers() };
    const asked = { number: 0, kind: 'change', key: 'k', method: 'PATCH', path: '/', claim, answer };
    const quiet = { seed: 1, mongodb: '6', faults: new Map(), crashes: 0, findings: {}, began: 0, ended: 1 };
    const intents = [{ ...asked, attempts: [{ ...attempt, ms }] }];
    return isGood(
      reportOf({
        ...quiet,
        intents,
        subscriptions: { streams: 0, events: 0 },
        deliveries: { messages: 0, doubled: 0 },
      }),
    );
  };
  expect([isGoodAfter(19_900), isGoodAfter(20_100)]).toEqual([true, false]);
});

it('validates its options', () => {
  expect(readOptions(['--minutes', '0.5', '--seed', '7'])).toEqual({ minutes: 0.5, seed: 7, json: undefined });
  expect(() => readOptions(['--minutes', 'long'])).toThrow(/--minutes=long/);
  expect(() => readOptions(['--seed', '-1'])).toThrow(/--seed/);
});
