import type { AuditTerms } from '../src/domain/analysis/figure-audit/audit-facts.ts';
import type { FigureRule, Severity } from '../src/domain/analysis/figure-audit/audit-rules.ts';
import type { AuditFinding, FigureAudit } from '../src/domain/analysis/figure-audit/figure-audit.ts';
import type { Entity } from '../src/model/entity/entity.ts';
import { builder } from './building/builder.ts';
import { checked } from './building/checked.ts';
import { DocumentRef } from './document.ts';
import { JobRef } from './job.ts';

const RULES: Readonly<Record<FigureRule, { readonly description: string }>> = {
  VOLUME_ORDER: { description: 'NSV ≤ GSV ≤ GOV × k.' },
  NET_VOLUME: { description: 'NSV = GSV × (1 − S&W).' },
  SEDIMENT_WATER_SUM: { description: 'S&W = sediment + water.' },
  API_DENSITY: { description: 'The API gravity is that of the density.' },
  CORRECTION_FACTOR: { description: 'GSV ÷ GOV is the correction factor of the table at the mean temperature.' },
  TEMPERATURE_GRAVITY_SWAPPED: { description: 'Temperature and gravity have not been swapped.' },
  PERCENTAGE_HISTORY: { description: 'A percentage is like those of the same product on other jobs.' },
  SHIP_SHORE_FACTOR: { description: 'Ship to shore agrees with the experience factor of the vessel.' },
  ACTIVE_SHORE_TANK: { description: 'No shore tank was active.' },
  REQUESTED_RESULT_MISSING: { description: 'A complete job has the results that were requested.' },
  OFF_SPECIFICATION_WITHOUT_RETEST: { description: 'A result off specification was tested again.' },
  SPECIFICATION_DISAGREES: { description: "`isOffSpec` agrees with the verdict by the job's specification." },
};

/** The rules of the figure audit. */
export const FigureRuleRef = builder.enumType('FigureRule', {
  description: 'A rule of the figure audit: what is true of correct figures.',
  values: RULES,
});

const SEVERITIES: Readonly<Record<Severity, { readonly description: string }>> = {
  ERROR: { description: 'The figures cannot all be right.' },
  WARNING: { description: 'It may be right, and needs an explanation.' },
};
const SeverityRef = builder.enumType('FindingSeverity', {
  description: 'The severity of a finding.',
  values: SEVERITIES,
});

const Finding = builder.objectRef<AuditFinding<Entity>>('FigureFinding').implement({
  description: 'Something in a report that is wrong, or needs an explanation.',
  fields: (t) => ({
    rule: t.expose('rule', { type: FigureRuleRef, description: 'The rule that does not hold.' }),
    severity: t.expose('severity', { type: SeverityRef, description: 'Its severity.' }),
    message: t.exposeString('message', { description: 'What is wrong.' }),
    expected: t.exposeFloat('expected', {
      nullable: true,
      description:
        'What the rule expects: of volumes in the unit of the GSV, of factors a ratio, of percentages percent, of gravities °API, of specifications the limit.',
    }),
    actual: t.exposeFloat('actual', { nullable: true, description: 'What was reported, in the same unit.' }),
    difference: t.exposeFloat('difference', { nullable: true, description: 'Actual − expected.' }),
    document: t.field({
      type: DocumentRef,
      nullable: true,
      description: 'The quantity or quality result with the error; for a missing result, the job.',
      resolve: ({ document }) => document,
    }),
  }),
});

const Audit = builder.objectRef<FigureAudit<Entity>>('FigureAudit').implement({
  description:
    "The figures of a job, checked against each other, the product's history and the vessel's experience factor.",
  fields: (t) => ({
    passed: t.exposeBoolean('passed', { description: 'Whether there are no findings.' }),
    checked: t.field({
      type: [FigureRuleRef],
      description: 'The rules that could be checked because their figures were reported.',
      resolve: ({ checked }) => [...checked],
    }),
    findings: t.field({
      type: [Finding],
      description: 'What is wrong or needs an explanation, in the order of the rules.',
      resolve: ({ findings }) => [...findings],
    }),
  }),
});

builder.objectField(JobRef, 'figureAudit', (t) => {
  const threshold = (defaultValue: number, description: string) =>
    t.arg.float({ required: true, defaultValue, description });
  return t.field({
    type: Audit,
    description: 'Whether the figures of the job can be right; a value equal to a threshold is within it.',
    args: {
      factorTolerance: threshold(0.0001, 'How far GSV ÷ GOV may be from the correction factor.'),
      netTolerance: threshold(0.01, 'How far NSV may be from GSV less S&W, in percent of GSV.'),
      sumTolerance: threshold(0.005, 'How far S&W may be from sediment and water, in percentage points.'),
      apiTolerance: threshold(0.2, 'How far the API gravity may be from that of the density, in °API.'),
      maximumFactor: threshold(1.05, 'The highest accepted ratio of GSV to GOV (k).'),
      historyRatio: threshold(
        10,
        'A percentage this many times above or below the median of its history is a finding.',
      ),
      shipShoreSpread: threshold(0.3, "How far ship to shore may be from the vessel's factor, in percent of it."),
    },
    extensions: {
      cost: { weight: 400 },
      ...checked((terms: AuditTerms, { analyse }) => analyse.checkAudit(terms)),
    },
    resolve: (job, terms, { analyse }) => analyse.figureAudit(job, terms),
  });
});
