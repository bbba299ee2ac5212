import { type ReportedQuality, summarizeQuality } from './quality-summary.ts';

/** The results that a job requests, and those that were reported. */
export interface RequestedAndReported {
  readonly activity: string | undefined;
  readonly requested: { readonly quality: unknown; readonly quantity: unknown; readonly timelog: unknown };
  readonly quality: readonly ReportedQuality[];
  readonly quantity: readonly { readonly direction: unknown; readonly measurements: number }[];
  readonly timeLog: number;
  readonly loadPortInformation: readonly { readonly measurements: number }[];
}

/** One kind of results: what is there, and what is missing. */
export interface ReportedKind {
  readonly isRequested: boolean;
  readonly reported: number;
  readonly preliminary: number;
  readonly confirmed: number;
  /** Null if not requested. */
  readonly isComplete: boolean | null;
  readonly missing: readonly string[];
}

export interface Completeness {
  readonly quality: ReportedKind;
  readonly quantity: ReportedKind;
  readonly timeLog: ReportedKind;
  readonly loadPortInformation: ReportedKind;
  readonly requestedKinds: number;
  readonly completeKinds: number;
  readonly isComplete: boolean | null;
  readonly missing: readonly string[];
  readonly reason: string | null;
}

/** Compares requested with reported results, kind by kind (docs/calculations.md). */
export function completenessOf(job: RequestedAndReported): Completeness {
  const { requested, activity } = job;
  const wantsQuantity = requested.quantity === true;
  const wantsLoadPort = activity === 'discharge' && (wantsQuantity || job.quantity.length > 0);
  const preliminary = job.quality.filter(({ status }) => status === 'preliminary').length;
  const confirmed = job.quality.filter(({ status }) => status === 'confirmed').length;
  const kinds = {
    quality: {
      ...kind(requested.quality === true, job.quality.length, missingQuality(job.quality)),
      preliminary,
      confirmed,
    },
    quantity: kind(wantsQuantity, job.quantity.length, missingQuantity(job)),
    timeLog: kind(requested.timelog === true, job.timeLog, job.timeLog === 0 ? ['a time log'] : []),
    loadPortInformation: kind(wantsLoadPort, job.loadPortInformation.length, missingLoadPort(job)),
  };
  const wanted = Object.values(kinds).filter(({ isRequested }) => isRequested);
  const missing = wanted.flatMap((one) => one.missing);
  return {
    ...kinds,
    requestedKinds: wanted.length,
    completeKinds: wanted.filter(({ isComplete }) => isComplete).length,
    isComplete: wanted.length === 0 ? null : missing.length === 0,
    missing,
    reason: wanted.length === 0 ? 'The job does not request any results.' : null,
  };
}

const kind = (isRequested: boolean, reported: number, missing: readonly string[]): ReportedKind => ({
  isRequested,
  reported,
  preliminary: 0,
  confirmed: 0,
  isComplete: isRequested ? missing.length === 0 : null,
  missing: isRequested ? missing : [],
});

function missingQuality(results: readonly ReportedQuality[]): string[] {
  if (results.length === 0) return ['quality results'];
  const { latest, pendingRetests } = summarizeQuality(results);
  const open = latest.filter(({ result }) => result.status === 'preliminary').length;
  return [
    ...(open > 0 ? [`the confirmation of ${counted(open, 'quality result')}`] : []),
    ...(pendingRetests > 0 ? [counted(pendingRetests, 'retest')] : []),
  ];
}

/** A sample alone has no two sides; everything else is measured on both. */
function missingQuantity({ quantity, activity }: RequestedAndReported): string[] {
  if (activity === 'sample') return quantity.length === 0 ? ['a quantity result'] : [];
  return ['source', 'destination'].flatMap((side) => {
    const found = quantity.filter(({ direction }) => direction === side);
    if (found.length === 0) return [`the quantity result of the ${side}`];
    return found.some(({ measurements }) => measurements > 0) ? [] : [`the measurements of the ${side}`];
  });
}

function missingLoadPort({ loadPortInformation }: RequestedAndReported): string[] {
  if (loadPortInformation.length === 0) return ['load port information'];
  return loadPortInformation.some(({ measurements }) => measurements > 0) ? [] : ['the measurements of the load port'];
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
