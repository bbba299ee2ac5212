import { JOB_TYPE } from '../model/document-types/job.ts';
import type { JsonObject } from '../model/json.ts';
import { reportingMistakes } from './mistakes.ts';
import { type Random, random } from './random.ts';
import { tradeSpecifications } from './specifications.ts';
import { secondLaboratory } from './stories/laboratories.ts';
import { withVoyages } from './stories/voyages.ts';
import type { TradeJob, TradeResult, TradeSpecification } from './trade-items.ts';
import { resultsOf } from './trade-results.ts';
import {
  CARGO_OWNER,
  INSPECTION_COMPANY,
  type Named,
  NOTES,
  PRODUCTS,
  REGIONS,
  type Region,
  UNITS,
} from './trade-words.ts';
import { wire } from './wire-time.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

/** "Today" in the trade: fixed, so that it is the same on every machine, and in the past, so that real jobs are newer. */
export const TRADE_DATE = new Date('2026-06-01T12:00:00.000Z');
/** The age of the oldest job. */
const SPAN_DAYS = 100;
/** The activities, repeated by frequency. */
const USUAL_ACTIVITIES = ['load', 'load', 'load', 'discharge', 'discharge', 'discharge', 'sts', 'transfer', 'sample'];

/** Options of the generator; the same options give the same trade. */
export interface TradeOptions {
  readonly seed: number;
  readonly jobs: number;
  /** The number of the newest jobs in progress that have results; 0 by default. */
  readonly reported?: number;
}

/** A fictitious cargo inspection trade as plain data; jobs from oldest to newest. */
export interface Trade {
  readonly client: JsonObject;
  readonly vendor: JsonObject;
  /** Bodies without the parties, whose ids are unknown until they are written. */
  readonly workspaces: readonly JsonObject[];
  readonly specifications: readonly TradeSpecification[];
  readonly jobs: readonly TradeJob[];
  readonly results: readonly TradeResult[];
}

/** Generates a trade between two organizations, with one workspace for each region. */
export function tradeOf({ seed, jobs: count, reported = 0 }: TradeOptions): Trade {
  const chance = random(seed);
  const from = TRADE_DATE.getTime() - SPAN_DAYS * DAY;
  const step = (SPAN_DAYS * DAY) / count;
  const planned = Array.from({ length: count }, (_, index): TradeJob => {
    const workspace = chance.whole(0, REGIONS.length - 1);
    const createdAt = new Date(Math.floor(from + (index + chance.next()) * step));
    const body = jobBody(chance, REGIONS[workspace] as Region, { number: index + 1, createdAt });
    return { workspace, createdAt, type: JOB_TYPE, body };
  });
  const jobs = withVoyages(planned);
  const results = reportingMistakes(jobs, resultsOf(random(seed + 1), jobs, { count: reported, today: TRADE_DATE }));
  return {
    client: { name: CARGO_OWNER.name, category: 'shipper' },
    vendor: { name: INSPECTION_COMPANY.name, category: 'inspector' },
    workspaces: REGIONS.map(({ description }) => ({ description })),
    specifications: tradeSpecifications(REGIONS.length, new Date(from)),
    jobs,
    results: [...results, ...secondLaboratory(jobs, results)],
  };
}

function jobBody(
  chance: Random,
  region: Region,
  { number, createdAt }: { readonly number: number; readonly createdAt: Date },
): JsonObject {
  const eta = halfHour(createdAt.getTime() + chance.whole(3 * 24, 21 * 24) * HOUR);
  const etc = halfHour(eta.getTime() + chance.whole(14, 96) * HOUR);
  const product = chance.pick(PRODUCTS);
  const { xref, name } = product;
  const activity = chance.pick(USUAL_ACTIVITIES);
  return {
    xref: `PO-${4_100_000 + number * 7}`,
    refNumber: `${region.code}-${String(createdAt.getUTCFullYear()).slice(2)}-${String(number).padStart(5, '0')}`,
    tripNumber: `${chance.whole(1, 60).toString().padStart(3, '0')}${chance.pick(['N', 'E', 'S', 'W'])}`,
    status: statusAt(chance, eta, etc),
    activity,
    eta: wire(eta),
    etc: wire(etc),
    location: chance.pick(region.locations),
    transports: vesselsFor(chance, region, activity),
    cargo: { product: { xref, name }, quantity: quantityOf(chance, product.parcel), uom: UNITS[product.uom] },
    requested: { quality: chance.chance(0.85), quantity: activity !== 'sample', timelog: chance.chance(0.6) },
    vendor: INSPECTION_COMPANY,
    client: CARGO_OWNER,
    ...(chance.chance(0.6) && { notes: chance.pick(NOTES) }),
  } as unknown as JsonObject;
}

function statusAt(chance: Random, eta: Date, etc: Date): string {
  if (chance.chance(0.04)) return 'cancelled';
  if (etc <= TRADE_DATE) return 'complete';
  return eta <= TRADE_DATE ? 'active' : 'pending';
}

/** A ship-to-ship transfer has two vessels, every other activity one. */
function vesselsFor(chance: Random, { vessels }: Region, activity: string) {
  // One vessel of each region calls often, to give it a history.
  const vessel = chance.chance(0.4) ? (vessels[0] as Named) : chance.pick(vessels);
  if (activity !== 'sts') return [vessel];
  return [vessel, chance.pick(vessels.filter((other) => other !== vessel))];
}

function quantityOf(chance: Random, [min, max]: readonly [number, number]): number {
  return Math.round((min + chance.next() * (max - min)) * 1000) / 1000;
}

const halfHour = (time: number): Date => new Date(Math.round(time / (HOUR / 2)) * (HOUR / 2));
