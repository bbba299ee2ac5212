import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors.ts';
import { Room } from '../../src/http/rooms/room.ts';

const BYTES = 100;
const OF_TENANT = 50;

/** Asks for room without a limit of time; `entered` are the names of those that have had room. */
function asking() {
  const refusal = () => new ServiceError('UNAVAILABLE', 'Too much waits.');
  const room = new Room({ bytes: BYTES, ofTenant: OF_TENANT, waitMs: 60_000, refusal });
  const entered: string[] = [];
  const ask = (name: string, bytes: number, tenant = name) =>
    room.take({ tenant, bytes }, { enter: () => void entered.push(name) });
  return { entered, ask };
}

describe('a room that several tenants share', () => {
  it('is open to smaller claims while the first one waits, whatever tenants they are of', () => {
    const { entered, ask } = asking();
    const first = ask('a', 50);
    ask('b', 40);
    ask('large', 30);
    for (const name of ['c', 'd']) ask(name, 5);
    expect(entered).toEqual(['a', 'b', 'c', 'd']);
    first();
    expect(entered.at(-1)).toBe('large');
  });

  it('keeps the order of the claims of one tenant', () => {
    const { entered, ask } = asking();
    const first = ask('a', 50);
    ask('b', 40);
    ask('large', 25, 'c');
    ask('small', 5, 'c');
    expect(entered).toEqual(['a', 'b']);
    first();
    expect(entered.slice(2)).toEqual(['large', 'small']);
  });

  it('lets any number of smaller claims pass a larger one, but none that it would have to wait for', () => {
    const { entered, ask } = asking();
    const [first, second] = [ask('a', 40), ask('b', 20)];
    ask('large', 50);
    let leave: (() => void)[] = [];
    for (let round = 0; round < 10; round++) {
      const next = Array.from({ length: 9 }, (_, index) => ask(`${round} ${index}`, 10));
      for (const end of leave) end();
      leave = next;
    }
    expect(entered).toContain('9 0');
    first();
    expect(entered).not.toContain('large');
    second();
    expect(entered).toContain('large');
  });

  it('has room for a claim once all that asked before it have left, however many ask after it', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: OF_TENANT }), { minLength: 1, maxLength: 30 });
    const later = fc.array(fc.integer({ min: 1, max: OF_TENANT }), { maxLength: 30 });
    const check = (before: number[], bytes: number, after: number[], order: number[]) => {
      const { entered, ask } = asking();
      const leave = before.map((size, index) => ask(`before ${index}`, size));
      ask('claim', bytes);
      const rest = [...after];
      const places = leave.map((end, index) => ({ end, rank: order[index] ?? 0 })).sort((a, b) => a.rank - b.rank);
      for (const { end } of places) {
        const size = rest.pop();
        if (size) ask(`after ${rest.length}`, size);
        end();
      }
      for (const size of rest) ask('after', size);
      expect(entered).toContain('claim');
    };
    const order = fc.array(fc.nat(), { minLength: 30, maxLength: 30 });
    fc.assert(fc.property(sizes, fc.integer({ min: 1, max: OF_TENANT }), later, order, check));
  });
});
