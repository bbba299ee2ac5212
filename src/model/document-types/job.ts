import { ownOfShapeA, ownOfShapeB } from '../data-api/data-api-parts.ts';
import type { DocumentType } from '../entity/entity-type.ts';
import { datetime, flag, float, link, list, object, oneOf, present, reference, text } from '../fields/schema-parts.ts';

export const JOB_TYPE = 'svc.inspection.job';
export const JOB_STATUSES = ['pending', 'active', 'complete', 'cancelled'] as const;
/** The activities that are voyages: cargo is loaded or discharged. */
export const VOYAGES = ['load', 'discharge'] as const;
export type VoyageKind = (typeof VOYAGES)[number];
/** How many characters of a longer trip number calculations keep as they are. */
export const LONGEST_TRIP = 1_000;
/** How many of the vessels that a job names calculations take it to have. */
export const MOST_VESSELS = 100;
export const JOB_ACTIVITIES = [...VOYAGES, 'sts', 'transfer', 'sample'] as const;

/** An inspection job (interface, "Job (legacy Workspace API)"): what the client asks the vendor to inspect. */
export const job: DocumentType = {
  name: JOB_TYPE,
  aliases: ['svc.nim.job'],
  noun: 'job',
  required: [],
  graphqlNames: { hide: ['workspace', 'parent'] },
  schema: {
    title: 'Inspection job',
    type: 'object',
    properties: {
      workspace: link('workspace', 'The workspace that the job belongs to; filled in from the path.'),
      parent: link('document', 'The document that this job belongs to; usually empty.'),
      xref: text("The external id of the job in the client's system."),
      refNumber: text('The reference that client and vendor use when they talk about the job.'),
      tripNumber: text('The number of the voyage, by which the owner of the vessel knows this trip.'),
      status: oneOf(JOB_STATUSES, 'How far the job is: asked for, under way, done, or called off.'),
      activity: oneOf(
        JOB_ACTIVITIES,
        'What is inspected: a loading, a discharge, a transfer from ship to ship (sts) or between tanks, or a sample alone.',
      ),
      eta: datetime('When the vessel is expected at the port (estimated time of arrival).'),
      etc: datetime('When loading or discharge is expected to be complete (estimated time of completion).'),
      notes: text('Free text, such as instructions for the inspector.'),
      location: reference('locations', 'Where the inspection takes place: a port, a terminal or an anchorage.'),
      transports: list(
        present(reference('transports')),
        'The vessels, barges or other means of transport that are inspected.',
      ),
      cargo: object(
        {
          product: reference('products', 'What is shipped, such as gasoil or a crude.'),
          quantity: float('How much is meant to be shipped, in the unit of measure beside it.'),
          uom: reference('uom', 'The unit of measure of the quantity, such as MT (tonnes) or BBL (barrels).'),
        },
        'What is shipped.',
      ),
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
      specification: link(
        'specification',
        'The specification that the results are held against, a document of the same workspace.',
      ),
    },
  },
  extensionSchema: object({
    ...ownOfShapeA,
    ...ownOfShapeB,
    cargo: object({
      ...ownOfShapeB.cargo?.properties,
      quantity: object({ value: { ...float(), 'x-stored': 'cargo.quantity' } }),
    }),
  }),
};
