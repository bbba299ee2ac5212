import { describe, expect, it } from 'vitest';
import { PasswordQueue } from '../../src/auth/password-queue.ts';

/** A queue whose work ends when told, in the order in which it begins. */
function queue() {
  const passwords = new PasswordQueue();
  const [begun, ending] = [[] as string[], [] as (() => void)[]];
  const refused: string[] = [];
  const refuse = (username: string) => (error: unknown) => {
    refused.push(`${username}: ${(error as { code?: string }).code}`);
  };
  const enter = (username: string, ...networks: string[]) => {
    try {
      return passwords.enter({ username, networks });
    } catch (error) {
      refuse(username)(error);
      return undefined;
    }
  };
  const work = (username: string) => () => {
    begun.push(username);
    return new Promise<void>((resolve) => ending.push(resolve));
  };
  const apply = (username: string, ...networks: string[]): void => {
    enter(username, ...networks)
      ?.run(work(username))
      .catch(refuse(username));
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
  return { apply, enter, work, next, refused };
}

const times = (count: number, apply: (index: number) => void): void => {
  for (let index = 0; index < count; index++) apply(index);
};

describe('the queue for hashing passwords', () => {
  it('gives names of a network their turns, however often one of them tries', async () => {
    const { apply, next, refused } = queue();
    times(24, () => apply('loops', 'office'));
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
    times(24, (index) => apply(`name ${index}`, 'attacker'));
    await next(0);
    const before = refused.length;
    apply('anna', 'home');
    apply('ben', 'office');
    expect(await next(5)).toEqual(['name 2', 'anna', 'ben', 'name 3', 'name 4']);
    expect(refused).toHaveLength(before);
  });

  it('gives sites their turns, however many networks one of them has', async () => {
    const { apply, next, refused } = queue();
    times(24, (index) => apply(`name ${index}`, '2001:db8:1', `2001:db8:1:${index}`));
    await next(0);
    const before = refused.length;
    apply('anna', '2001:db8:2', '2001:db8:2:0');
    apply('ben', '192.0.2.1');
    apply('cara', '2001:db8:2', '2001:db8:2:1');
    expect(await next(6)).toEqual(['name 2', 'anna', 'ben', 'name 3', 'cara', 'name 4']);
    expect(refused).toHaveLength(before);
  });

  it('counts those whose work is still to come, and lets others go before them', async () => {
    const { apply, enter, work, next, refused } = queue();
    const places = Array.from({ length: 24 }, () => enter('burst', 'office'));
    const entered = places.filter((place) => place !== undefined);
    expect(refused).toEqual(Array(24 - entered.length).fill('burst: RATE_LIMITED'));
    expect(refused.length).toBeGreaterThan(0);
    times(3, () => apply('anna', 'home'));
    entered[0]?.run(work('burst'));
    entered[1]?.leave();
    expect(await next(3)).toEqual(['burst', 'anna']);
  });

  it('refuses what waited for two seconds, and takes no notice of letters of the same name', async () => {
    const { apply, next, refused } = queue();
    times(2, () => apply('hangs', 'a'));
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
