import type { ExperienceFactor, LeftOutVoyage, RatedVoyage } from '../src/domain/analysis/experience-factor.ts';
import type { ExperienceFactors, JobVoyage } from '../src/domain/job-analysis/experience.ts';
import { builder } from './building/builder.ts';
import { CatalogRecordRef } from './catalog-record.ts';
import { JobRef } from './job.ts';

const VoyageRef = builder.objectRef<RatedVoyage<JobVoyage>>('Voyage').implement({
  description: 'A loading or discharge that the factor is made of. Figures are in the unit of the factor.',
  fields: (t) => ({
    job: t.field({ type: JobRef, description: 'The job.', resolve: ({ voyage }) => voyage.job }),
    date: t.field({
      type: 'DateTime',
      description: 'The latest date of its quantity results; else its estimated completion, else its creation.',
      resolve: ({ voyage }) => voyage.date,
    }),
    vessel: t.exposeFloat('vessel', { nullable: true, description: 'The figure of the vessel, to three places.' }),
    shore: t.exposeFloat('shore', { nullable: true, description: 'The figure of the shore, to three places.' }),
    ratio: t.exposeFloat('ratio', { nullable: true, description: 'Vessel by shore, to five places.' }),
  }),
});

const LeftOut = builder.objectRef<LeftOutVoyage<JobVoyage>>('LeftOutVoyage').implement({
  description: 'A loading or discharge that does not qualify.',
  fields: (t) => ({
    voyage: t.field({ type: VoyageRef, description: 'The voyage, with what is known of it.', resolve: (one) => one }),
    reason: t.exposeString('reason', { description: 'Why it does not qualify.' }),
  }),
});

const FactorRef = builder.objectRef<ExperienceFactor<JobVoyage>>('ExperienceFactor').implement({
  description: 'The factor of one kind of voyage, with the voyages that it is made of.',
  fields: (t) => ({
    factor: t.exposeFloat('factor', {
      nullable: true,
      description:
        'The sum of the vessel figures by that of the shore figures of the qualifying voyages, to five places.',
    }),
    mean: t.exposeFloat('mean', {
      nullable: true,
      description:
        'The same for all voyages whose ratio is between `lowest` and `highest`, which ratios are held against.',
    }),
    uom: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The unit of all figures: that of the newest voyage.',
      resolve: ({ unit }, _args, { load }) => load.catalogRecord(unit),
    }),
    used: t.expose('used', { type: [VoyageRef], description: 'The qualifying voyages, newest first.' }),
    leftOut: t.expose('leftOut', { type: [LeftOut], description: 'The other ones, each with its reason.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why there is no factor.' }),
  }),
});

const OtherJob = builder.objectRef<ExperienceFactors['otherJobs'][number]>('OtherJobOfVessel').implement({
  description: 'A job of the vessel that has no part in either factor.',
  fields: (t) => ({
    job: t.expose('job', { type: JobRef, description: 'The job.' }),
    reason: t.exposeString('reason', { description: 'Why it has no part.' }),
  }),
});

const Factors = builder.objectRef<ExperienceFactors>('VesselExperience').implement({
  description:
    'The vessel experience factor by the primary method of API MPMS 17.9 / EI HM 49: a screening figure. It says whether a difference between ship and shore is usual for the vessel; for claims, a factor from the full voyage record of the vessel is needed.',
  fields: (t) => ({
    load: t.expose('load', { type: FactorRef, description: 'Of loadings (VEFL): vessel is the destination.' }),
    discharge: t.expose('discharge', { type: FactorRef, description: 'Of discharges (VEFD): vessel is the source.' }),
    otherJobs: t.expose('otherJobs', { type: [OtherJob], description: 'Jobs that are neither.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why there is nothing: the record is no vessel.' }),
  }),
});

builder.objectField(CatalogRecordRef, 'experienceFactor', (t) =>
  t.field({
    type: Factors,
    description:
      "The vessel experience factor, from the vessel's newest 200 jobs in the workspace, those of its synonyms included: a screening figure.",
    args: {
      measurement: t.arg.string({
        required: true,
        defaultValue: 'TCV',
        description: 'The code or name of the measurement that is compared: total calculated volume in the trade.',
      }),
      voyages: t.arg.int({
        required: true,
        defaultValue: 20,
        description: 'How many of the newest comparable voyages are looked at, 1 to 100.',
      }),
      lowest: t.arg.float({ required: true, defaultValue: 0.98, description: 'A lower ratio is a major error.' }),
      highest: t.arg.float({ required: true, defaultValue: 1.02, description: 'A higher ratio is a major error.' }),
      spread: t.arg.float({
        required: true,
        defaultValue: 0.3,
        description: 'How far a ratio may be from the mean, in percent of the mean.',
      }),
      minimum: t.arg.int({ required: true, defaultValue: 5, description: 'The fewest voyages that make a factor.' }),
    },
    extensions: { cost: { weight: 200 } },
    resolve: (record, terms, { analyse }) => analyse.experienceFactor(record, terms),
  }),
);
