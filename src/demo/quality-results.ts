import type { JsonObject } from '../model/json.ts';
import type { PortCall } from './port-call.ts';
import type { Random } from './random.ts';
import { TEST_UNITS, TESTS } from './trade-words.ts';
import { wire } from './wire-time.ts';

/** The laboratory of the inspection company. */
const LABORATORY = 'Kestrivan Laboratory';
/** How often sulphur is off specification, and how often it is then retested. */
const OFF_SPECIFICATION = 0.12;
const RETESTED = 0.6;

/** The tests of one ship composite, and of a second sample if the first failed. */
export function qualityBodies(chance: Random, { body, product, end }: PortCall): JsonObject[] {
  const isOff = chance.chance(OFF_SPECIFICATION);
  const isAgain = isOff && chance.chance(RETESTED);
  const status = body.status === 'complete' && !chance.chance(0.1) ? 'confirmed' : 'preliminary';
  const result = (test: keyof typeof TESTS, value: string, more: JsonObject = {}): JsonObject =>
    ({
      status,
      laboratory: LABORATORY,
      setNumber: 1,
      testNumber: Object.keys(TESTS).indexOf(test) + 1,
      sample: { location: 'SHIP', description: 'Ship composite' },
      ...TESTS[test],
      uom: UNIT_OF[test],
      date: wire(end),
      resultOperator: 'eq',
      result: value,
      isPerformed: true,
      isOffSpec: false,
      isPassed: true,
      ...more,
    }) as unknown as JsonObject;
  const water = chance.whole(5, 120);
  const sulphur = chance.whole(3, 9);
  const failed = { isOffSpec: true, isPassed: false, isRetestNeeded: isAgain || chance.chance(0.5) };
  return [
    result('density', (product.density + chance.next() * 4 - 2).toFixed(1)),
    result('sulphur', String(isOff ? sulphur + 12 : sulphur), isOff ? failed : {}),
    result('water', water < 20 ? '<20' : String(water), water < 20 ? { resultOperator: 'lt' } : {}),
    result('appearance', 'Clear and bright'),
    ...(isAgain ? [result('sulphur', String(sulphur + 1), { setNumber: 2, notes: 'Second sample' })] : []),
  ];
}

const UNIT_OF: Readonly<Record<keyof typeof TESTS, (typeof TEST_UNITS)[keyof typeof TEST_UNITS]>> = {
  density: TEST_UNITS.density,
  sulphur: TEST_UNITS.parts,
  water: TEST_UNITS.parts,
  appearance: TEST_UNITS.none,
};
