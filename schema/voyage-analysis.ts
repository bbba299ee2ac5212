import type { VoyageDifference } from '../src/domain/analysis/voyage/voyage-analysis.ts';
import type { VoyageAnalysis, VoyageRequest } from '../src/domain/job-analysis/voyages.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { CatalogRecordRef } from './catalog-record.ts';
import { JobRef } from './job.ts';

const Difference = builder.objectRef<VoyageDifference>('VoyageDifference').implement({
  description: 'What one side delivered and the other received, in the unit of the analysis. A loss is negative.',
  fields: (t) => ({
    given: t.exposeFloat('given', { nullable: true, description: 'What was given, to six decimal places.' }),
    received: t.exposeFloat('received', { nullable: true, description: 'What was received, to six decimal places.' }),
    difference: t.exposeFloat('difference', { nullable: true, description: 'Received − given.' }),
    percent: t.exposeFloat('percent', { nullable: true, description: 'The difference in percent of what was given.' }),
    perMille: t.exposeFloat('perMille', {
      nullable: true,
      description: 'The difference in per mille of what was given.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why a figure is null.' }),
  }),
});

const Analysis = builder.objectRef<VoyageAnalysis>('VoyageAnalysis').implement({
  description:
    'A voyage from the loading shore tank to the receiving one, by API MPMS 17.5 / EI HM 64. All jobs of the voyage are added up; all figures are in one unit. Where its loadings, or discharges, are at several places, the figures on board on departure and OBQ, or on arrival and ROB, are null: each of them counts the cargo of other ports again.',
  fields: (t) => ({
    loadings: t.field({
      type: [JobRef],
      description: 'The loadings of the vessel with this trip number.',
      resolve: ({ loadings }) => [...loadings],
    }),
    discharges: t.field({
      type: [JobRef],
      description: 'The discharges of the vessel with this trip number.',
      resolve: ({ discharges }) => [...discharges],
    }),
    uom: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description:
        'The unit of all figures: that of the first one that is known, the shore figure of the loading if there is one.',
      resolve: ({ unit }, _args, { load }) => load.catalogRecord(unit?.id),
    }),
    obq: t.exposeFloat('obq', {
      nullable: true,
      description:
        'What was on board before loading (OBQ), as the vessel reported it beside the measurement; zero where it reported the measurement alone, null where it reported neither, where the unit is missing or does not convert, without a loading and with loadings at several places.',
    }),
    rob: t.exposeFloat('rob', {
      nullable: true,
      description:
        'What remained on board after discharge (ROB), as the vessel reported it beside the measurement; zero where it reported the measurement alone, null where it reported neither, where the unit is missing or does not convert, without a discharge and with discharges at several places.',
    }),
    loadFactor: t.exposeFloat('loadFactor', {
      nullable: true,
      description: "The load factor (VEFL): the argument, otherwise the vessel's without this voyage.",
    }),
    dischargeFactor: t.exposeFloat('dischargeFactor', {
      nullable: true,
      description: "The discharge factor (VEFD): the argument, otherwise the vessel's without this voyage.",
    }),
    shoreToShip: t.expose('shoreToShip', {
      type: Difference,
      description: 'Shore loaded → vessel on departure less OBQ.',
    }),
    transit: t.expose('transit', {
      type: Difference,
      description:
        'Vessel on departure → vessel on arrival; only of loadings at one place and discharges at one place.',
    }),
    shipToShore: t.expose('shipToShore', {
      type: Difference,
      description: 'Vessel on arrival less ROB → shore outturn.',
    }),
    shoreToShore: t.expose('shoreToShore', { type: Difference, description: 'Shore loaded → shore outturn.' }),
    onBoard: t.expose('onBoard', {
      type: Difference,
      description: 'OBQ → ROB; only of loadings at one place and discharges at one place.',
    }),
    theoreticalLoaded: t.expose('theoreticalLoaded', {
      type: Difference,
      description: 'Shore loaded → theoretical shore figure: (vessel on departure − OBQ) ÷ load factor.',
    }),
    theoreticalDischarged: t.expose('theoreticalDischarged', {
      type: Difference,
      description: 'Theoretical shore figure, (vessel on arrival − ROB) ÷ discharge factor → shore outturn.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description:
        'Why the jobs of the voyage cannot be found, or are not all counted, and why `obq`, `rob` or a factor is null.',
    }),
  }),
});

builder.objectField(JobRef, 'voyageAnalysis', (t) =>
  t.field({
    type: Analysis,
    description:
      'The voyage of the job: the same from its loading and from its discharge, which name one vessel and one trip number. Without a loading, the load port information is the bill of lading.',
    args: {
      measurement: t.arg.string({
        required: true,
        defaultValue: 'TCV',
        description: 'The code or name of the measurement to compare; usually the total calculated volume.',
      }),
      loadFactor: t.arg.float({ description: 'The load factor to use; a ratio of vessel to shore.' }),
      dischargeFactor: t.arg.float({ description: 'The discharge factor to use; a ratio of vessel to shore.' }),
    },
    extensions: {
      cost: { weight: 200 },
      ...checked((request: VoyageRequest, { analyse }) => analyse.checkVoyage(request)),
    },
    resolve: (job, request, { analyse }) => analyse.voyageAnalysis(job, request),
  }),
);
