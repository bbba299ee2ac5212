import type { ResultType } from '../entity/entity-type.ts';
import { alias, datetime, flag, float, link, named, object, oneOf, reference, text } from '../fields/schema-parts.ts';
import { JOB_TYPE } from './job.ts';
import { measurements } from './measurement.ts';

export const QUANTITY_RESULT_TYPE = 'svc.inspection.quantityResult';
const DIRECTIONS = ['source', 'destination'] as const;

/** What was measured on one side of a transfer (interface, "Quantity result"): a job has one for each direction. */
export const quantityResult: ResultType<'quantity result'> = {
  name: QUANTITY_RESULT_TYPE,
  aliases: [],
  noun: 'quantity result',
  phrases: { one: 'a quantity result', all: 'the quantity results' },
  parentType: JOB_TYPE,
  required: ['parent'],
  graphqlNames: { hide: ['workspace', 'parent'] },
  schema: {
    title: 'Quantity result',
    type: 'object',
    properties: {
      workspace: link('workspace', 'The workspace that the result belongs to; filled in from the path.'),
      parent: link('document', 'The job that the result belongs to.'),
      date: datetime('When it was measured.'),
      direction: oneOf(
        DIRECTIONS,
        'The side of the transfer that was measured; a job has one result for each. For a discharge the vessel is the source and the shore the destination, for a loading the other way round. Their difference is the loss or gain.',
      ),
      activeShoreTank: flag(
        'The shore tank was active: product went in or out of it beside this transfer, which makes its figure less certain.',
      ),
      measurements,
      waterMethod: text('How water was measured, such as Karl Fischer.'),
      sedimentMethod: text('How sediment was measured.'),
      densityMethod: text('How the density was measured.'),
      waterPerc: float('Water, in percent.'),
      sedimentPerc: float('Sediment, in percent.'),
      sedimentWaterPerc: float('Sediment and water together (BS&W), in percent; what is paid for is the net of it.'),
      density15c: float(
        'The density at 15 °C, at which volumes are compared, as the vendor reports it: kg/m³ or kg/l.',
      ),
      meanTemp: named(
        'Temperature',
        object(
          {
            value: float('The temperature, in the unit beside it.'),
            uom: reference('uom', 'The unit of the temperature.'),
          },
          'The mean temperature of the product when it was measured, from which the volume at 15 °C is computed.',
        ),
      ),
      ...alias(
        'vcfTable',
        'vcftable',
        reference(
          'vcfTable',
          'The table of volume correction factors (VCF), by which a volume is brought to the standard temperature.',
        ),
      ),
      api: float('The API gravity at 60 °F, in degrees: another measure of density; lighter oils have a higher one.'),
    },
  },
};
