import type {
  ExperienceFactor,
  LeftOutVoyage,
  RatedVoyage,
} from '../src/domain/analysis/experience/experience-factor.ts';
import type { LeftOutCode } from '../src/domain/analysis/experience/left-out.ts';
import type { ExperienceFactors, ExperienceRequest, JobVoyage } from '../src/domain/job-analysis/experience.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { CatalogRecordRef } from './catalog-record.ts';
import { JobRef } from './job.ts';

const VoyageRef = builder.objectRef<RatedVoyage<JobVoyage>>('Voyage').implement({
  description: 'A loading or discharge that the factor is based on. Figures are in the unit of the factor.',
  fields: (t) => ({
    job: t.field({
      type: JobRef,
      description: 'The job; of several grades the one that was measured last.',
      resolve: ({ voyage }) => (voyage.grades[0] as JobVoyage['grades'][number]).job,
    }),
    jobs: t.field({
      type: [JobRef],
      description: 'The jobs of all grades of the voyage: one vessel, activity and trip number.',
      resolve: ({ voyage }) => voyage.grades.map(({ job }) => job),
    }),
    date: t.field({
      type: 'DateTime',
      description:
        'The latest date of its quantity results, otherwise its estimated completion, otherwise its creation.',
      resolve: ({ voyage }) => voyage.date,
    }),
    vessel: t.exposeFloat('vessel', {
      nullable: true,
      description:
        'The figure of the vessel less OBQ (loading) or ROB (discharge), of all grades together, to three decimal places.',
    }),
    shore: t.exposeFloat('shore', {
      nullable: true,
      description: 'The figure of the shore, of all grades together, to three decimal places.',
    }),
    ratio: t.exposeFloat('ratio', {
      nullable: true,
      description: 'The vessel figure divided by the shore figure, to five decimal places.',
    }),
  }),
});

const LEFT_OUT: Readonly<Record<LeftOutCode, { readonly description: string }>> = {
  EXCLUDED: { description: 'It is the voyage of the job named by `excluding`.' },
  CANCELLED: { description: 'A job of it was cancelled.' },
  UNDER_WAY: { description: 'A job of it is pending or active.' },
  ACTIVE_SHORE_TANK: { description: 'The shore tank was active while it was measured.' },
  MISSING_FIGURE: { description: 'A figure is missing, or cannot be compared.' },
  TOO_OLD: { description: 'It is older than the newest comparable ones that are considered.' },
  GROSS_ERROR: { description: 'Its ratio is below `lowest` or above `highest`.' },
  OUTLIER: { description: 'Its ratio is further than `spread` percent from the mean.' },
};

const LeftOutCodeRef = builder.enumType('LeftOutCode', {
  description: 'Why a voyage does not count (API MPMS 17.9).',
  values: LEFT_OUT,
});

const LeftOut = builder.objectRef<LeftOutVoyage<JobVoyage>>('LeftOutVoyage').implement({
  description: 'A loading or discharge that does not qualify.',
  fields: (t) => ({
    voyage: t.field({
      type: VoyageRef,
      description: 'The voyage, with the figures that are known.',
      resolve: (one) => one,
    }),
    code: t.expose('code', { type: LeftOutCodeRef, description: 'Why it does not qualify, as a code.' }),
    reason: t.exposeString('reason', { description: 'Why it does not qualify.' }),
  }),
});

const FactorRef = builder.objectRef<ExperienceFactor<JobVoyage>>('ExperienceFactor').implement({
  description: 'The factor of one kind of voyage, with the voyages it is based on.',
  fields: (t) => ({
    factor: t.exposeFloat('factor', {
      nullable: true,
      description:
        'The sum of the vessel figures divided by the sum of the shore figures of the qualifying voyages, to five decimal places.',
    }),
    mean: t.exposeFloat('mean', {
      nullable: true,
      description:
        'The same for all voyages whose ratio is between `lowest` and `highest`; each ratio is compared with it.',
    }),
    uom: t.field({
      type: CatalogRecordRef,
      nullable: true,
      description: 'The unit of all figures, which is that of the newest voyage.',
      resolve: ({ unit }, _args, { load }) => load.catalogRecord(unit),
    }),
    used: t.expose('used', { type: [VoyageRef], description: 'The qualifying voyages, newest first.' }),
    leftOut: t.expose('leftOut', {
      type: [LeftOut],
      description: 'The voyages that do not qualify, each with the reason.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why there is no factor.' }),
  }),
});

const OtherJob = builder.objectRef<ExperienceFactors['otherJobs'][number]>('OtherJobOfVessel').implement({
  description: 'A job of the vessel that is in neither factor.',
  fields: (t) => ({
    job: t.expose('job', { type: JobRef, description: 'The job.' }),
    reason: t.exposeString('reason', { description: 'Why it is in neither.' }),
  }),
});

const Factors = builder.objectRef<ExperienceFactors>('VesselExperience').implement({
  description:
    'The vessel experience factor by the primary method of API MPMS 17.9 / EI HM 49: a screening figure. It shows whether a difference between ship and shore is usual for the vessel; for claims, a factor from the full voyage record of the vessel is needed.',
  fields: (t) => ({
    load: t.expose('load', {
      type: FactorRef,
      description: 'The factor of loadings (VEFL): the vessel is the destination.',
    }),
    discharge: t.expose('discharge', {
      type: FactorRef,
      description: 'The factor of discharges (VEFD): the vessel is the source.',
    }),
    otherJobs: t.expose('otherJobs', {
      type: [OtherJob],
      description: 'Jobs that are neither loadings nor discharges.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description:
        'Why there are no factors: the record is not a vessel. Otherwise whether there are more voyages than were looked at, where they might count.',
    }),
  }),
});

builder.objectField(CatalogRecordRef, 'experienceFactor', (t) =>
  t.field({
    type: Factors,
    description:
      "The vessel experience factor, from the vessel's newest 200 loadings and discharges each in the workspace that are done, those of its synonyms included: a screening figure.",
    args: {
      measurement: t.arg.string({
        required: true,
        defaultValue: 'TCV',
        description: 'The code or name of the measurement to compare; usually the total calculated volume.',
      }),
      voyages: t.arg.int({
        required: true,
        defaultValue: 20,
        description: 'The number of newest comparable voyages to consider, 1 to 100.',
      }),
      lowest: t.arg.float({ required: true, defaultValue: 0.98, description: 'A lower ratio is a gross error.' }),
      highest: t.arg.float({ required: true, defaultValue: 1.02, description: 'A higher ratio is a gross error.' }),
      spread: t.arg.float({
        required: true,
        defaultValue: 0.3,
        description: 'The maximum deviation of a ratio from the mean, in percent of the mean.',
      }),
      minimum: t.arg.int({
        required: true,
        defaultValue: 5,
        description: 'The minimum number of qualifying voyages for a factor.',
      }),
      excluding: t.arg({
        type: 'UUID',
        description: 'A job whose voyage does not count, with all its grades: usually the current one.',
      }),
    },
    extensions: {
      cost: { weight: 200 },
      ...checked((terms: ExperienceRequest, { analyse }) => analyse.checkExperience(terms)),
    },
    resolve: (record, terms, { analyse }) => analyse.experienceFactor(record, terms),
  }),
);
