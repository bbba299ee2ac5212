import { describe, expect, it } from 'vitest';
import { PasswordQueue } from '../../src/auth/password-queue.ts';

/** A queue whose work ends when told, in the order in which it begins. */
function queue() {
  const passwords = new PasswordQueue();
  const [begun, ending] = [[] as string[], [] as (() => void)[]];
  const refused: string[] = [];
  const apply = (username: string, network: string, times = 1): void => {
    for (let time = 0; time < times; time++) {
      const work = () => {
        begun.push(username);
        return new Promise<void>((resolve) => ending.push(resolve));
      };
      passwords.run({ username, network }, work).catch(({ code }) => refused.push(`${username}: ${code}`));
    }
  };
  /** Ends what runs, one at a time, and returns what begins meanwhile. */
  const next = async (count: number): Promise<string[]> => {
    begun.length = 0;
    for (let ended = 0; ended < count; ended++) {
      ending.shift()?.();
      await new Promise(setImmediate);
    }
    return [...begun];
  };
  return { apply, next, refused };
}

describe('the queue for hashing passwords', () => {
  it('gives names of a network their turns, however often one of them tries', async () => {
    const { apply, next, refused } = queue();
    apply('loops', 'office', 24);
    await next(0);
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused)).toEqual(new Set(['loops: RATE_LIMITED']));
    const before = refused.length;
    apply('anna', 'office');
    apply('Ben', 'office');
    apply('anna', 'office');
    expect(await next(7)).toEqual(['loops', 'anna', 'Ben', 'loops', 'anna', 'loops', 'loops']);
    expect(refused).toHaveLength(before);
  });

  it('gives networks their turns, however many names one of them tries', async () => {
    const { apply, next, refused } = queue();
    for (let index = 0; index < 24; index++) apply(`name ${index}`, 'attacker');
    await next(0);
    const before = refused.length;
    apply('anna', 'home');
    apply('ben', 'office');
    expect(await next(5)).toEqual(['name 2', 'anna', 'ben', 'name 3', 'name 4']);
    expect(refused).toHaveLength(before);
  });

  it('refuses what waited for two seconds, and takes no notice of letters of the same name', async () => {
    const { apply, next, refused } = queue();
    apply('hangs', 'a', 2);
    apply('waits', 'a');
    apply('WAITS', 'a');
    apply('other', 'a');
    await expect.poll(() => refused, { timeout: 20_000 }).toHaveLength(3);
    apply('waits', 'a');
    apply('Waits', 'a');
    apply('other', 'a');
    expect(await next(3)).toEqual(['waits', 'other', 'Waits']);
  });
});
