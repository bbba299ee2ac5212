import { type JsonObject, valueAt } from '../../model/json.ts';
import type { TradeJob } from '../trade-items.ts';

const DAY = 24 * 60 * 60 * 1000;
/** The longest voyage, from the end of loading to arrival. */
const LONGEST = 25 * DAY;
interface Story {
  /** The fraction of the cargo that arrives. */
  readonly arrived: number;
  /** The index of the only workspace it may be in; any if undefined. */
  readonly workspace?: number;
}

/** The first voyage lost 0.6 % under way, as did one in the first workspace, where readers look first. */
const STORIES: readonly Story[] = [
  { arrived: 0.994 },
  { arrived: 1 },
  { arrived: 0.994, workspace: 0 },
  { arrived: 0.9985, workspace: 0 },
  { arrived: 1, workspace: 0 },
];

/** Links some loadings and later discharges of the same vessel into voyages: one trip number, one cargo (`job.voyageAnalysis`). */
export function withVoyages(jobs: readonly TradeJob[]): TradeJob[] {
  const linked = [...jobs];
  const taken = new Set<number>();
  for (const { arrived, workspace } of STORIES) {
    const found = pairOf(linked, { taken, workspace });
    if (!found) continue;
    const { loading, discharge } = found;
    taken.add(loading).add(discharge);
    const [from, to] = [linked[loading], linked[discharge]];
    if (from && to) linked[discharge] = { ...to, body: { ...to.body, ...cargoOf(from.body, arrived) } };
  }
  return linked;
}

const cargoOf = ({ tripNumber, cargo }: JsonObject, part: number): JsonObject => ({
  tripNumber: tripNumber ?? null,
  cargo: { ...(cargo as JsonObject), quantity: Number((Number(valueAt(cargo, ['quantity'])) * part).toFixed(3)) },
});

/** The newest discharge with an earlier loading, among jobs that have their reports. */
function pairOf(
  jobs: readonly TradeJob[],
  { taken, workspace }: { readonly taken: ReadonlySet<number>; readonly workspace: number | undefined },
) {
  // A large trade has thousands of jobs per vessel: only loadings not yet part of a voyage are compared.
  const sailed = Map.groupBy(jobs, voyageOf);
  const loadings = Map.groupBy(
    jobs.keys().filter((index) => {
      const job = jobs[index];
      return !taken.has(index) && isReported(job, 'load') && sailed.get(voyageOf(job))?.length === 1;
    }),
    (index) => vesselOf(jobs[index]),
  );
  for (let discharge = jobs.length - 1; discharge >= 0; discharge--) {
    const to = jobs[discharge];
    if (taken.has(discharge) || !isReported(to, 'discharge')) continue;
    if (workspace !== undefined && to?.workspace !== workspace) continue;
    const loading = loadings.get(vesselOf(to))?.findLast((index) => leadsTo(jobs[index], to));
    if (loading !== undefined) return { loading, discharge };
  }
  return undefined;
}

const isReported = (job: TradeJob | undefined, activity: string): boolean =>
  job?.body.status === 'complete' &&
  job.body.activity === activity &&
  valueAt(job.body, ['requested', 'quantity']) === true &&
  valueAt(job.body, ['cargo', 'uom', 'xref']) !== 'M3';

function leadsTo(from: TradeJob | undefined, to: TradeJob | undefined): boolean {
  if (!from || !to || from.workspace !== to.workspace) return false;
  const between = Date.parse(String(to.body.eta)) - Date.parse(String(from.body.etc));
  return between > DAY && between < LONGEST && vesselOf(from) === vesselOf(to) && placeOf(from) !== placeOf(to);
}

const vesselOf = (job: TradeJob | undefined) =>
  valueAt((job?.body.transports as readonly JsonObject[] | undefined)?.[0] ?? {}, ['xref']);
const placeOf = ({ body }: TradeJob) => valueAt(body, ['location', 'xref']);
/** The key of a voyage: jobs with the same vessel and trip number belong to the same one. */
const voyageOf = (job: TradeJob | undefined): string => JSON.stringify([vesselOf(job), job?.body.tripNumber]);
