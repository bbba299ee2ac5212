import { describe, expect, it } from 'vitest';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import { partsOf, soughtParts } from '../../src/model/fields/text-parts.ts';

const parts = (refNumber: unknown) => partsOf(JOB_TYPE, { refNumber });

/** Whether the parts of a text let it be found by a substring. */
const leads = (text: string, contained: string): boolean =>
  soughtParts('r', contained).every(({ anyOf, beginning }) =>
    parts(text).some((part) => anyOf.includes(part) || beginning.some((start) => part.startsWith(start))),
  );

describe('text parts', () => {
  it('are few: one per third character, or per second', () => {
    expect(parts('KST-26')).toEqual(['r-26', 'rkst-']);
    expect(partsOf(JOB_TYPE, { tripNumber: '042N' })).toEqual(['t042n', 't2n']);
    expect(parts('x'.repeat(1_000)).length).toBeLessThanOrEqual(101);
    expect(parts('ab'.repeat(50_000)).length).toBeLessThanOrEqual(101);
    expect([parts(''), parts(null), parts(7), parts(undefined)]).toEqual([[], [], [], []]);
  });

  it.each(['A-1€😀b c.d*E/f', 'KST-26/0042 ~aB'])('lead to every substring, of any length: %s', (text) => {
    const characters = Array.from(text);
    for (let from = 0; from < characters.length; from++) {
      for (let to = from + 1; to <= characters.length; to++) {
        const contained = characters.slice(from, to).join('');
        expect([contained, leads(text, contained)]).toEqual([contained, true]);
      }
    }
    expect(leads(text, '1€😀c c')).toBe(false);
    expect(leads(text, '2/00c c')).toBe(false);
  });

  it('of an overlong text lead to anything it may contain', () => {
    for (const character of ['x', 'é', '😀']) {
      expect(leads(`${character.repeat(500)}the end`, 'the end')).toBe(true);
      expect(leads(`${character.repeat(500)}the end`, `${character.repeat(400)}the`)).toBe(true);
      expect(parts(character.repeat(1_000_000))).toEqual(parts(character.repeat(1_000)));
    }
  });

  it('are equal for characters differing only in case, as patterns compare them', () => {
    const isCharacter = (code: number): boolean => code < 0xd800 || code > 0xdfff;
    const different: string[] = [];
    for (let code = 1; code < 0x1_0000; code++) {
      if (!isCharacter(code)) continue;
      const character = String.fromCodePoint(code);
      for (const other of [character.toUpperCase(), character.toLowerCase(), character.toUpperCase().toLowerCase()]) {
        if (other === character || Array.from(other).length > 1) continue;
        const isSame = new RegExp(`^\\u{${code.toString(16)}}$`, 'iu').test(other);
        if (isSame && parts(character)[0] !== parts(other)[0]) different.push(`${character} ${other}`);
      }
    }
    expect(different).toEqual([]);
  });
});
