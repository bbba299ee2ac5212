import type { QuantityComparison, QuantityReconciliation } from '../src/domain/analysis/quantity-reconciliation.ts';
import type { Tolerance } from '../src/domain/analysis/tolerance.ts';
import { builder } from './building/builder.ts';
import { CatalogRecordRef } from './catalog-record.ts';
import { JobRef } from './job.ts';

const ToleranceOrigin = builder.enumType('ToleranceOrigin', {
  description: 'Where a tolerance comes from.',
  values: {
    ARGUMENT: { value: 'argument', description: 'The argument `tolerance`.' },
    CARGO: { value: 'cargo', description: "The smallest `tolerance` of the job's cargoes (Data API, shape A)." },
    CUSTOMARY: { value: 'customary', description: '0.5 percent, which the trade allows where nothing was agreed.' },
  } as const,
});

const ToleranceRef = builder.objectRef<Tolerance>('QuantityTolerance').implement({
  description: 'The difference that is accepted.',
  fields: (t) => ({
    percent: t.exposeFloat('percent', {
      nullable: true,
      description: 'Percent of what was given, to either side, itself included; null where it cannot be read.',
    }),
    origin: t.expose('origin', { type: ToleranceOrigin, description: 'Where it comes from.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it cannot be read.' }),
  }),
});

const Comparison = builder.objectRef<QuantityComparison>('QuantityComparison').implement({
  description:
    'One measurement on two sides, paired by its code, else by its name. All figures are in the unit of the side that gave.',
  fields: (t) => ({
    code: t.exposeString('code', { nullable: true, description: "The code of the client's system." }),
    name: t.exposeString('name', { nullable: true, description: 'What was measured, such as GSV.' }),
    uom: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The unit of all figures.',
      resolve: ({ unit }, _args, { load }) => load.catalogRecord(unit),
    }),
    symbol: t.exposeString('symbol', {
      nullable: true,
      description: 'The usual sign of that unit (m3, bbl, t …); the name of the record for a unit that is not known.',
    }),
    given: t.exposeFloat('given', { nullable: true, description: 'The figure of the side that gave.' }),
    received: t.exposeFloat('received', {
      nullable: true,
      description: 'The figure of the side that received, converted to the unit, to six places.',
    }),
    difference: t.exposeFloat('difference', {
      nullable: true,
      description: 'Received minus given, in the unit: a loss is negative.',
    }),
    percent: t.exposeFloat('percent', {
      nullable: true,
      description: 'The difference in percent of what was given, to four places.',
    }),
    isWithinTolerance: t.exposeBoolean('isWithinTolerance', {
      nullable: true,
      description: 'Whether the percentage is not above the tolerance, to either side.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why a figure is null: missing, not a number, reported twice, or in units that cannot be converted.',
    }),
  }),
});

const Reconciliation = builder.objectRef<QuantityReconciliation>('QuantityReconciliation').implement({
  description:
    'What was given against what was received (as in voyage analysis, API MPMS 17.1 and 17.5), in decimal arithmetic. Volumes and masses are converted among themselves, never into each other.',
  fields: (t) => ({
    tolerance: t.expose('tolerance', { type: ToleranceRef, description: 'The difference that is accepted.' }),
    transfer: t.expose('transfer', {
      type: [Comparison],
      description: 'Source to destination: shore to vessel for a loading, vessel to shore for a discharge.',
    }),
    transit: t.expose('transit', {
      type: [Comparison],
      description: 'Load port to the vessel on arrival; of a discharge. Several load ports are added up.',
    }),
    outturn: t.expose('outturn', {
      type: [Comparison],
      description: 'Load port to the shore; of a discharge. Several load ports are added up.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'What is missing for a comparison.' }),
  }),
});

builder.objectField(JobRef, 'quantityReconciliation', (t) =>
  t.field({
    type: Reconciliation,
    description: 'Source against destination for each measurement; for a discharge also against the load port.',
    args: {
      tolerance: t.arg.float({
        description:
          "Percent, 0 to 100; left out: the smallest tolerance of the job's cargoes, else the customary 0.5 percent.",
      }),
    },
    extensions: { cost: { weight: 10 } },
    resolve: (job, { tolerance }, { analyse }) => analyse.quantityReconciliation(job, tolerance),
  }),
);
