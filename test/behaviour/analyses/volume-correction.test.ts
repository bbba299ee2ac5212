import { describe, expect, it } from 'vitest';
import { serviceFixture } from '../../service.ts';

const service = serviceFixture();
const ask = async (field: string) => (await service.graphql(`{ ${field} }`, {})).body;
const SHAPE = '{ table factor rounded withinTable reason }';

describe('volumeCorrection', () => {
  it('returns the factor of a table', async () => {
    const { data } = await ask(`volumeCorrection(table: "54B", density15: 850, temperature: 30) ${SHAPE}`);
    expect(data.volumeCorrection).toMatchObject({ table: '54B', rounded: 0.9875, withinTable: true, reason: null });
    expect(data.volumeCorrection.factor).toBeCloseTo(0.987493, 6);
    const outside = (await ask(`volumeCorrection(table: "54B", density15: 1075.5, temperature: 30) ${SHAPE}`)).data;
    expect(outside.volumeCorrection).toMatchObject({
      ...{ rounded: null, withinTable: false },
      reason: 'Table 54B is printed up to 1075 kg/m³: the density15 1075.5 is outside.',
    });
  });

  it.each([
    ['an unknown table', 'table: "54X", temperature: 30, density15: 850', ['table']],
    ['no entry', 'table: "54B", temperature: 30', ['density15']],
    ['the entry of another table', 'table: "54B", temperature: 30, apiGravity: 30', ['density15', 'apiGravity']],
    ['two entries', 'table: "6A", temperature: 30, apiGravity: 30, expansion: 0.0009', ['expansion']],
    ['a density of zero', 'table: "54A", temperature: 30, density15: 0', ['density15']],
    ['a negative relative density', 'table: "24A", temperature: 30, relativeDensity: -1', ['relativeDensity']],
    ['a negative expansion', 'table: "6C", temperature: 30, expansion: -0.0009', ['expansion']],
    ['a gravity of no density', 'table: "6D", temperature: 30, apiGravity: -131.5', ['apiGravity']],
  ])('refuses %s', async (_what, args, parameters) => {
    const { errors } = await ask(`volumeCorrection(${args}) ${SHAPE}`);
    const { code, errors: faults } = errors[0].extensions;
    expect([code, faults.map(({ parameter }: { parameter: string }) => parameter)]).toEqual([
      'INVALID_INPUT',
      parameters,
    ]);
  });

  it.each([
    [
      'an infinite temperature',
      '{ volumeCorrection(table: "54B", density15: 850, temperature: 1e400) { factor } }',
      '1e400',
    ],
    [
      'one by default',
      'query Q($t: Float! = -1e999) { volumeCorrection(table: "54B", density15: 850, temperature: $t) { factor } }',
      '-1e999',
    ],
    [
      'an integer that no double is',
      '{ jobs(where: { cargo: { quantity: { in: [1, 9007199254740993] } } }) { totalCount } }',
      '9007199254740993',
    ],
    ['a long one', `{ densityConversion(density15: ${'9'.repeat(400)}) { density60 } }`, `${'9'.repeat(40)}…`],
  ])('refuses %s in the query text, as in variables', async (_what, query, shown) => {
    const { errors } = (await service.graphql(query, {})).body;
    expect(errors).toMatchObject([
      { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' }, locations: [expect.anything()] },
    ]);
    expect(errors[0].message).toContain(`Float cannot represent ${shown}: a double holds numbers up to 1.8e308`);
  });

  it('requires a credential', async () => {
    const { body } = await service.graphql(
      `{ volumeCorrection(table: "54B", density15: 850, temperature: 30) ${SHAPE} }`,
      {},
      null,
    );
    expect(body.errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });
});

describe('densityConversion', () => {
  const MEASURES = '{ density15 density60 relativeDensity apiGravity }';

  it('returns one density in all measures', async () => {
    const { densityConversion } = (await ask(`densityConversion(apiGravity: 10) ${MEASURES}`)).data;
    expect(densityConversion).toMatchObject({ density60: 999.012, relativeDensity: 1, apiGravity: 10 });
    expect(densityConversion.density15).toBeGreaterThan(999.012);
  });

  it.each([
    ['none', 'group: "A"', 3, 'must be given, or another of density15, apiGravity, relativeDensity: one of them.'],
    ['two', 'density15: 850, apiGravity: 30', 2, 'must be the only one of density15, apiGravity, relativeDensity.'],
    ['one that is not positive', 'density15: -1', 1, 'must be above 0.'],
    ['one that no liquid has', 'relativeDensity: 1e-300', 1, 'must be the density of a liquid'],
    ['an unknown group', 'density15: 850, group: "C"', 1, 'must be one of A, B, D.'],
  ])('refuses %s', async (_what, args, count, says) => {
    const { errors } = await ask(`densityConversion(${args}) ${MEASURES}`);
    const { code, errors: faults } = errors[0].extensions;
    expect([code, faults.length]).toEqual(['INVALID_INPUT', count]);
    expect(faults[0].message).toContain(says);
  });
});
