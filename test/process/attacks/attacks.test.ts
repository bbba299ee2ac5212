// May take 30 s: two dozen requests of maximum size are sent one after the other.
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startAttacked } from './attacked-service.ts';
import { type Attack, attacksOn } from './attacks.ts';
import { attacksByErrors } from './attacks-by-errors.ts';
import { attacksByTexts } from './attacks-by-texts.ts';
import { type Control, startControl } from './control.ts';

/** Operation cost is not limited here: the answers must be. */
const UNLIMITED_COST = { GRAPHQL_MAX_COST: String(Number.MAX_SAFE_INTEGER) };

/** How long another request may have to wait meanwhile; less than a second on an idle machine. */
const BUSY_MS = 5_000;
/** The same once an attack has been answered. */
const WELL_MS = 2_000;
/** Makes a signal throw an uncaught error. */
const THROWS_ON_SIGNAL = `data:text/javascript,${encodeURIComponent(
  `process.on('SIGUSR2', () => { throw new Error('nobody catches this'); });
   process.on('SIGVTALRM', () => { void Promise.reject(new Error('nobody waits for this')); });`,
)}`;

describe('no request ends the process', () => {
  let service: Fixture;
  let control: Control;
  beforeAll(async () => {
    control = await startControl();
    service = await startAttacked(UNLIMITED_COST);
  });
  afterAll(async () => {
    control.stop();
    await service.stop();
  });

  /** How long the service takes, normalized to an otherwise idle machine. */
  const health = async (): Promise<number> => {
    const [taken, slowness] = await Promise.all([service.health(), control.slowness()]);
    return taken / slowness;
  };

  /** The answer to an attack, and how long another request took beside it. */
  const attacked = async (send: Attack[1]) => {
    const sent = send();
    const meanwhile = await health();
    return { answer: await sent, meanwhile };
  };

  it('whatever it asks: each is answered clearly, and others are served meanwhile', { timeout: 300_000 }, async () => {
    const { pid } = service.child;
    for (const [title, send, status, says] of [
      ...attacksOn(service),
      ...attacksByErrors(service),
      ...attacksByTexts(service),
    ]) {
      let { answer, meanwhile } = await attacked(send);
      if (meanwhile >= BUSY_MS) ({ answer, meanwhile } = await attacked(send)); // the machine may have been slower for a moment
      const shown = `${title}: ${answer.status} ${answer.text.slice(0, 300)}`;
      expect(await health(), shown).toBeLessThan(WELL_MS);
      expect(meanwhile, shown).toBeLessThan(BUSY_MS);
      expect([service.child.pid, service.child.exitCode], shown).toEqual([pid, null]);
      expect(answer.status, shown).toBe(status);
      expect(answer.text, shown).toMatch(says);
      expect(answer.text.length, shown).toBeLessThan(50_000);
      expect(answer.text, shown).not.toMatch(/call stack|node_modules|RangeError/);
    }
  });
});

describe('an uncaught error', () => {
  it.concurrent.each([
    ['is thrown', 'SIGUSR2', 'nobody catches this'],
    ['is rejected', 'SIGVTALRM', 'nobody waits for this'],
  ] as const)(
    'that %s is logged, and the process shuts down gracefully with exit code 1',
    { timeout: 180_000 },
    async (_, signal, says) => {
      const service = await startAttacked({ NODE_OPTIONS: `--import ${THROWS_ON_SIGNAL}` });
      try {
        const ended = once(service.child, 'exit');
        service.child.kill(signal);
        expect(await ended).toEqual([1, null]);
        const lines = (await service.log).split('\n').filter((line) => line.startsWith('{'));
        const fatal = lines.map((line) => JSON.parse(line)).find(({ level }) => level === 60);
        expect(fatal).toMatchObject({ msg: 'an uncaught error', err: { message: says } });
        expect(fatal.err.stack).toContain(says);
        expect(lines.at(-1)).toContain('"stopped"');
      } finally {
        await service.stop();
      }
    },
  );
});
