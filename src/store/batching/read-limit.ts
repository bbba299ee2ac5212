import { isDocumentFault } from '../document-faults.ts';
import { halved, inSmallerParts } from '../in-parts.ts';

/** The most that is read of jobs and the documents below them in one transaction, which must not take longer than MongoDB allows. */
const MOST_BYTES = 128 * 1024 * 1024;
const MOST_DOCUMENTS = 20_000;
/** Half of the time that a transaction has by default, in milliseconds: its writes take time as well. */
const MOST_MS = 10_000;

/** Jobs have more documents, or larger ones, than may be read at once. */
export class TooMuchAtOnce extends Error {
  /** The job with most of what was read, if one has. */
  readonly mostly: string | undefined;

  constructor(mostly?: string) {
    super('The jobs have too many documents to be read at once.');
    this.mostly = mostly;
  }
}

/** Limits what is read of some jobs at once. */
export class ReadLimit {
  /** The number of the jobs. */
  readonly jobs: number;
  /** Told the job that exceeds the limit by itself, and is counted without its reports. */
  readonly exceededBy: (job: string) => void;
  readonly #until = performance.now() + MOST_MS;
  #total = NOTHING;
  readonly #ofJobs = new Map<string, Amount>();

  constructor(jobs: number, exceededBy: (job: string) => void = () => undefined) {
    this.jobs = jobs;
    this.exceededBy = exceededBy;
  }

  /** Begins to read, perhaps again because MongoDB ended the transaction. */
  begin(): void {
    this.#total = NOTHING;
    this.#ofJobs.clear();
    this.#checkTime();
  }

  /** Counts a document of a job, or the job itself. */
  add(job: string, size: number): void {
    this.#ofJobs.set(job, plus(this.#ofJobs.get(job) ?? NOTHING, size));
    this.#total = plus(this.#total, size);
    if (isTooMuch(this.#total)) throw new TooMuchAtOnce([...this.#ofJobs].find(([, own]) => isMuch(own))?.[0]);
    this.#checkTime();
  }

  /** One job is read to the end however slow MongoDB is: what counts of it must not depend on that. */
  #checkTime(): void {
    if (this.jobs > 1 && performance.now() > this.#until) throw new TooMuchAtOnce();
  }
}

interface Amount {
  readonly bytes: number;
  readonly count: number;
}

const NOTHING: Amount = { bytes: 0, count: 0 };
const plus = ({ bytes, count }: Amount, size: number): Amount => ({ bytes: bytes + size, count: count + 1 });
const isTooMuch = ({ bytes, count }: Amount): boolean => bytes > MOST_BYTES || count > MOST_DOCUMENTS;
const isMuch = ({ bytes, count }: Amount): boolean => isTooMuch({ bytes: bytes * 2, count: count * 2 });

/** Told the jobs that are a problem by themselves. */
export interface ToldApart {
  /** A job exceeds the limit, and is counted without its reports. */
  readonly exceededBy: (job: string) => void;
  /** The work cannot be done for a job. */
  readonly leftOut: (job: string, error: unknown) => void;
}

/**
 * Does the work for jobs together or, where they are too much at once or one of them makes it fail, in parts; yields the result of each
 * part. A job for which it fails by itself is left out, unless nobody is told.
 */
export const inPartsOfJobs = <T>(
  ids: readonly string[],
  work: (some: readonly string[], limit: ReadLimit) => Promise<T>,
  told?: ToldApart,
): AsyncGenerator<T> =>
  inSmallerParts(ids, (some) => work(some, new ReadLimit(some.length, told?.exceededBy)), told?.leftOut, {
    mayDivide: (error) => error instanceof TooMuchAtOnce || isDocumentFault(error),
    divided,
  });

/** The halves, or the job with most of the documents and the others. */
function divided(ids: readonly string[], error: unknown): readonly (readonly string[])[] {
  const mostly = error instanceof TooMuchAtOnce ? error.mostly : undefined;
  return mostly === undefined ? halved(ids) : [ids.filter((id) => id !== mostly), [mostly]];
}
