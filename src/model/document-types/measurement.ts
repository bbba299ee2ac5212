import { float, list, named, object, reference, type Schema, text } from '../fields/schema-parts.ts';

/** The measurements of quantity results and load port information, which share one shape (interface, "Quantity result"). */
export const measurements: Schema = list(
  named('Measurement', {
    ...object(
      {
        code: text("The code of the measurement in the client's system; figures with one code are compared."),
        name: text(
          'What was measured, such as GSV (gross standard volume), NSV (net, without sediment and water) or TCV (total calculated volume).',
        ),
        uom: reference('uom', 'The unit of measure of the value.'),
        value: float('The value, in the unit of measure beside it.'),
      },
      'One measured value.',
    ),
    type: 'object',
  }),
  'What was measured.',
);

/** The limits of an amount's magnitude, apart from 0. */
export const [SMALLEST_AMOUNT, LARGEST_AMOUNT] = [1e-15, 1e15];

/** Whether a number can be an amount. */
export function isAmount(value: number): boolean {
  const size = Math.abs(value);
  return size === 0 || (size >= SMALLEST_AMOUNT && size <= LARGEST_AMOUNT);
}
