/** One way to run the service; all variants run in one process, over one database. */
export interface Variant {
  readonly name: string;
  readonly title: string;
  /** Settings other than those of the plain service. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The operations that it is measured with; all if absent. */
  readonly of?: readonly string[];
  /** It leaves out something that the plain service does; the cost is that of the plain service compared with it. */
  readonly lacks?: true;
}

/** Switches off everything that an operator can switch off. */
export const NOTHING = { METRICS_PORT: '0', SLOW_MS: '0', RATE_LIMIT_PER_MINUTE: '0' };

/** The baseline of the other variants. */
export const PLAIN: Variant = { name: 'plain', title: 'no metrics, no slow log, no limits, no quotas' };

const RATE_LIMIT = { RATE_LIMIT_PER_MINUTE: '6000' };
const QUOTAS = {
  MAX_TENANT_DOCUMENTS: '1000000000',
  MAX_TENANT_WORKSPACES: '1000000000',
  MAX_TENANT_FILE_BYTES: '1000000000000',
};

/** The planted cost of a request, as a share of a request's cost in the plain service. */
export const PLANTED = 0.03;

export const VARIANTS: readonly Variant[] = [
  { name: 'again', title: 'the plain service once more (nothing)' },
  { name: 'planted', title: `a busy loop of ${PLANTED * 100} % of a request` },
  { name: 'metrics', title: 'metrics' },
  { name: 'slow', title: 'slow log' },
  { name: 'traces', title: 'traces by an API without an SDK (the service leaves even that out)' },
  { name: 'rate-limit', title: 'rate limit (6,000 a minute, 20 principals)', settings: RATE_LIMIT },
  { name: 'quotas', title: 'quotas', settings: QUOTAS },
  { name: 'everything', title: 'metrics, slow log, rate limit and quotas', settings: { ...RATE_LIMIT, ...QUOTAS } },
  {
    name: 'uncounted',
    title: 'cost and size of a GraphQL answer, estimated and counted',
    lacks: true,
    of: ['nested'],
  },
  { name: 'no-audit', title: 'audit log', lacks: true, of: ['create', 'delete'] },
];

/** The variants that are measured with an operation. */
export const variantsOf = (operation: string): readonly Variant[] =>
  VARIANTS.filter(({ of }) => of === undefined || of.includes(operation));
