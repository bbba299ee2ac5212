import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../src/domain/analysis/decimal.ts';
import { experienceFactorOf } from '../../src/domain/analysis/experience/experience-factor.ts';
import { factorsOfOthers } from '../../src/domain/analysis/experience/factors-of-others.ts';
import type { LeftOutCode } from '../../src/domain/analysis/experience/left-out.ts';
import { type Grade, type VoyageFigure, voyagesOf } from '../../src/domain/analysis/experience/voyages.ts';
import { PRIMARY_METHOD } from '../../src/domain/job-analysis/experience.ts';
import { gradeOfShare, shareOfGrade } from '../../src/domain/job-analysis/voyage-shares.ts';
import '../property-seed.ts';

/** Few voyages count, so that the cutoff between those that count and those that move up is hit often. */
const FEW = { ...PRIMARY_METHOD, voyages: 4, minimum: 2 };

const figure = (from: number, to: number): fc.Arbitrary<VoyageFigure | undefined> =>
  fc.option(
    fc.record({
      value: fc.integer({ min: from, max: to }).map((value) => new Decimal(value).div(7)),
      unit: fc.option(
        fc.constantFrom('m3', 'm3', 'm3', 'm3', 'bbl', 't', 'm3 at 15 °C', 'bbl at 60 °F', 'parcels').map((name) => ({
          ...{ id: name, spellings: [name] },
        })),
        { nil: undefined, freq: 30 },
      ),
    }),
    { nil: undefined, freq: 30 },
  );
const grade = fc.record({
  date: fc.integer({ min: 0, max: 30 }).map((hour) => new Date(hour * 3_600_000)),
  trip: fc.constantFrom(undefined, undefined, undefined, '1', '2'),
  isUnderWay: fc.constantFrom(false, false, false, false, false, false, true),
  vessel: figure(9_960, 10_040),
  shore: fc.oneof({ weight: 20, arbitrary: figure(9_990, 10_010) }, { weight: 1, arbitrary: figure(-1, 0) }),
});
const without = (one: Grade, code: LeftOutCode): Grade => ({
  ...{ id: one.id, date: one.date, trip: one.trip, problem: { code, reason: '' } },
});
const grades = fc
  .array(grade, { maxLength: 12 })
  .map((all): Grade[] =>
    all
      .map(({ isUnderWay, ...rest }, i) => ({ ...rest, id: `job ${i}`, isUnderWay }))
      .map(({ isUnderWay, ...one }) => (isUnderWay ? without(one, 'UNDER_WAY') : one)),
  );

/** The factor that a full audit compares a job with. */
const factorWithout = (job: string, all: readonly Grade[]): number | null =>
  experienceFactorOf(voyagesOf(all.map((one) => (one.id === job ? without(one, 'EXCLUDED') : one))), FEW).factor;

describe('the factors of a vessel without each of its jobs', () => {
  it('equal those computed with the job excluded', () => {
    const property = fc.property(grades, (all) => {
      const factors = factorsOfOthers(all, FEW);
      const asked = [...all.map(({ id }) => id), 'none of them'];
      const expected = asked.map((id) => factorWithout(id, all));
      expect(asked.map((id) => factors.factorFor(id))).toEqual(expected);
      expect(asked.map((id) => factors.factorFor(id))).toEqual(expected);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});

describe('the serialized text of a grade', () => {
  it('contains everything that the factor takes from it', () => {
    const property = fc.property(grades, (all) => {
      const shares = all.map((one) => [one.id, shareOfGrade(one, 'load')] as const);
      const read = shares.flatMap(([id, share]) => (share === '' ? [] : gradeOfShare(id, share)));
      expect(experienceFactorOf(voyagesOf(read), FEW).factor).toBe(experienceFactorOf(voyagesOf(all), FEW).factor);
      expect(read.map((one) => shareOfGrade(one, one.kind))).toEqual(shares.flatMap(([, share]) => share || []));
    });
    fc.assert(property, { numRuns: 500 });
  });
});
