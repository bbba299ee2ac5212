import { ownOfShapeA, ownOfShapeB } from '../bridge-parts.ts';
import type { DocumentType } from '../entity-type.ts';
import { datetime, flag, float, link, list, object, oneOf, reference, text } from '../schema-parts.ts';

export const JOB_TYPE = 'svc.inspection.job';
export const JOB_STATUSES = ['pending', 'active', 'complete', 'cancelled'] as const;
export const JOB_ACTIVITIES = ['load', 'discharge', 'sts', 'transfer', 'sample'] as const;

/** An inspection job (interface, "Job (legacy workspace API)"): what the client asks the vendor to inspect. */
export const job: DocumentType = {
  name: JOB_TYPE,
  aliases: ['svc.nim.job'],
  noun: 'job',
  required: [],
  names: { workspace: null, parent: null },
  schema: {
    title: 'Inspection job',
    type: 'object',
    properties: {
      workspace: link('workspace', 'The workspace that the job belongs to; filled in from the path.'),
      parent: link('document', 'The document that this job belongs to; usually empty.'),
      xref: text("The external id of the job in the client's system."),
      refNumber: text('The reference that client and vendor use when they talk about the job.'),
      tripNumber: text('The trip number of the vessel.'),
      status: oneOf(JOB_STATUSES, 'How far the job is.'),
      activity: oneOf(JOB_ACTIVITIES, 'What is inspected: loading, discharge, ship to ship, transfer or a sample.'),
      eta: datetime('The estimated arrival at the port.'),
      etc: datetime('The estimated completion.'),
      notes: text(),
      location: reference('locations', 'Where the inspection takes place.'),
      transports: list(reference('transports'), 'The vessels that are inspected.'),
      cargo: object({
        product: reference('products', 'What is shipped.'),
        quantity: float('How much is shipped, in the unit of measure beside it.'),
        uom: reference('uom', 'The unit of measure of the quantity.'),
      }),
      requested: object(
        {
          quality: flag('Quality results are expected.'),
          quantity: flag('Quantity results are expected.'),
          timelog: flag('A time log is expected.'),
        },
        'Which results the client expects.',
      ),
      vendor: reference('vendors', 'The vendor of the job, as a record of the vendors catalog.'),
      client: reference('clients', 'The client of the job, as a record of the clients catalog.'),
    },
  },
  further: object({
    ...ownOfShapeA,
    ...ownOfShapeB,
    cargo: object({
      ...ownOfShapeB.cargo?.properties,
      quantity: object({ value: { ...float(), 'x-stored': 'cargo.quantity' } }),
    }),
  }),
};
