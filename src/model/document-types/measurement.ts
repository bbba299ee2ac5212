import { float, list, named, object, reference, type Schema, text } from '../fields/schema-parts.ts';

/** The measurements of a quantity result and of load port information have one shape (interface, "Quantity result"). */
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
