import type {
  QuantityComparison,
  QuantityReconciliation,
} from '../src/domain/analysis/reconciliation/quantity-reconciliation.ts';
import type { Tolerance } from '../src/domain/analysis/tolerance.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { CatalogRecordRef } from './catalog-record.ts';
import { JobRef } from './job.ts';

const ToleranceOrigin = builder.enumType('ToleranceOrigin', {
  description: 'The origin of a tolerance.',
  values: {
    ARGUMENT: { value: 'argument', description: 'The argument `tolerance`.' },
    CARGO: { value: 'cargo', description: "The smallest `tolerance` of the job's cargoes (Data API, shape A)." },
    CUSTOMARY: { value: 'customary', description: '0.5 percent, customary in the trade if nothing was agreed.' },
  } as const,
});

const ToleranceRef = builder.objectRef<Tolerance>('QuantityTolerance').implement({
  description: 'The accepted difference.',
  fields: (t) => ({
    percent: t.exposeFloat('percent', {
      nullable: true,
      description:
        'The tolerance in percent of the quantity delivered, in either direction, inclusive; null if it cannot be parsed.',
    }),
    origin: t.expose('origin', { type: ToleranceOrigin, description: 'The origin.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it cannot be parsed.' }),
  }),
});

const Comparison = builder.objectRef<QuantityComparison>('QuantityComparison').implement({
  description:
    'One measurement on both sides, matched by code, otherwise by name. All figures are in the unit of the delivering side.',
  fields: (t) => ({
    code: t.exposeString('code', { nullable: true, description: "The code in the client's system." }),
    name: t.exposeString('name', { nullable: true, description: 'What was measured, such as GSV.' }),
    uom: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The unit of all figures.',
      resolve: ({ unit }, _args, { load }) => load.catalogRecord(unit),
    }),
    symbol: t.exposeString('symbol', {
      nullable: true,
      description: 'The usual symbol of the unit (m3, bbl, t …), or the name of the record if the unit is unknown.',
    }),
    given: t.exposeFloat('given', { nullable: true, description: 'The figure of the delivering side.' }),
    received: t.exposeFloat('received', {
      nullable: true,
      description: 'The figure of the receiving side, converted to the unit, to six decimal places.',
    }),
    difference: t.exposeFloat('difference', {
      nullable: true,
      description: 'Received minus delivered, in the unit; a loss is negative.',
    }),
    percent: t.exposeFloat('percent', {
      nullable: true,
      description: 'The difference in percent of the delivered quantity, to four decimal places.',
    }),
    isWithinTolerance: t.exposeBoolean('isWithinTolerance', {
      nullable: true,
      description: 'Whether the difference is within the tolerance, in either direction.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why a figure is null: missing, not a number, reported twice, or in units that cannot be converted.',
    }),
  }),
});

const Reconciliation = builder.objectRef<QuantityReconciliation>('QuantityReconciliation').implement({
  description:
    'Quantities delivered compared with quantities received (as in voyage analysis, API MPMS 17.1 and 17.5), in decimal arithmetic. Volumes are converted to volumes and masses to masses, never one to the other.',
  fields: (t) => ({
    tolerance: t.expose('tolerance', { type: ToleranceRef, description: 'The accepted difference.' }),
    transfer: t.expose('transfer', {
      type: [Comparison],
      description: 'Source compared with destination: shore to vessel for a loading, vessel to shore for a discharge.',
    }),
    transit: t.expose('transit', {
      type: [Comparison],
      description: 'For a discharge: load port compared with the vessel on arrival. Several load ports are added up.',
    }),
    outturn: t.expose('outturn', {
      type: [Comparison],
      description: 'For a discharge: load port compared with the shore. Several load ports are added up.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'What is missing for a comparison.' }),
  }),
});

builder.objectField(JobRef, 'quantityReconciliation', (t) =>
  t.field({
    type: Reconciliation,
    description: 'Source compared with destination for each measurement; for a discharge, also with the load port.',
    args: {
      tolerance: t.arg.float({
        description:
          "Percent, 0 to 100; left out: the smallest tolerance of the job's cargoes, else the customary 0.5 percent.",
      }),
    },
    extensions: {
      cost: { weight: 10 },
      ...checked(({ tolerance }: { readonly tolerance?: number | null }, { analyse }) =>
        analyse.checkTolerance(tolerance),
      ),
    },
    resolve: (job, { tolerance }, { analyse }) => analyse.quantityReconciliation(job, tolerance),
  }),
);
