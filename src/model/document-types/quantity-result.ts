import type { DocumentType } from '../entity-type.ts';
import { alias, datetime, flag, float, link, named, object, oneOf, reference, text } from '../schema-parts.ts';
import { JOB_TYPE } from './job.ts';
import { measurements } from './measurement.ts';

export const QUANTITY_RESULT_TYPE = 'svc.inspection.quantityResult';
export const DIRECTIONS = ['source', 'destination'] as const;

/** What was measured on one side of a transfer (interface, "Quantity result"): a job has one for each direction. */
export const quantityResult: DocumentType = {
  name: QUANTITY_RESULT_TYPE,
  aliases: [],
  noun: 'quantity result',
  parentType: JOB_TYPE,
  required: ['parent'],
  names: { workspace: null, parent: null },
  schema: {
    title: 'Quantity result',
    type: 'object',
    properties: {
      workspace: link('workspace', 'The workspace that the result belongs to; filled in from the path.'),
      parent: link('document', 'The job that the result belongs to.'),
      date: datetime('When it was measured.'),
      direction: oneOf(
        DIRECTIONS,
        'The side of the transfer; a job has one result for each. For a discharge the vessel is the source, the shore the destination.',
      ),
      activeShoreTank: flag('The shore tank was active.'),
      measurements,
      waterMethod: text('How water was measured.'),
      sedimentMethod: text('How sediment was measured.'),
      densityMethod: text('How the density was measured.'),
      waterPerc: float('Water, in percent.'),
      sedimentPerc: float('Sediment, in percent.'),
      sedimentWaterPerc: float('Sediment and water, in percent.'),
      density15c: float('The density at 15 °C.'),
      meanTemp: named(
        'Temperature',
        object(
          {
            value: float('The temperature, in the unit beside it.'),
            uom: reference('uom', 'The unit of the temperature.'),
          },
          'The mean temperature.',
        ),
      ),
      ...alias('vcfTable', 'vcftable', reference('vcfTable', 'The table of volume correction factors.')),
      api: float('The API gravity.'),
    },
  },
};
