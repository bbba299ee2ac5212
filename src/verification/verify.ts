import { setTimeout as sleep } from 'node:timers/promises';
import type { Db, MongoClient } from 'mongodb';
import { AUDITS } from '../store/figure-audits/kept-audit.ts';
import { inSmallerParts } from '../store/in-parts.ts';
import { auditLog, tombstones } from './audit.ts';
import { documents } from './documents.ts';
import { attachments, catalogRecords, organizations, referenceRecords, synonyms, workspaces } from './entities.ts';
import { checkAudits } from './figure-audits.ts';
import { files, looseChunks, referenceTotals, unattachedFiles } from './files.ts';
import type { CollectionCheck, Finding, WholeCheck } from './finding.ts';
import { atOneMoment, type Snapshot } from './snapshot.ts';
import { jobFacts, statisticsNotes, statisticsRollups } from './statistics.ts';
import { tenantUsage } from './usage.ts';

const BATCH = 500;
/** Batches of files are small, because every chunk is measured. */
const FILES = 50;
/** Findings beyond this number are counted but not listed. */
const MAX_FINDINGS = 10_000;
/** How long a finding must persist: longer than any write takes to compensate for another. */
const AGAIN_MS = 3_000;

/** The result of a verification. */
export interface Verification {
  /** How many documents were read, by collection. */
  readonly read: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  /** The number of findings that are not listed. */
  readonly omitted: number;
  /** What could not be compared, and why. */
  readonly notes: readonly string[];
}

interface VerifyOptions {
  readonly client: MongoClient;
  readonly db: Db;
  /** Called with the number of documents of a collection that have been read, and an estimate of the total. */
  readonly progress?: (collection: string, read: number, total: number) => void;
  readonly againMs?: number;
  /** How long to wait for figure audits that are due. */
  readonly dueMs?: number;
}

/**
 * Reads all entities and reports inconsistencies. It changes nothing, and the service may be running: each batch and the
 * documents it refers to are read from one snapshot, and findings are rechecked after some seconds.
 */
export async function verify(options: VerifyOptions): Promise<Verification> {
  const run = new Run(options);
  await run.each(organizations);
  await run.each(workspaces);
  await run.each(catalogRecords);
  await run.each(synonyms);
  await run.each(documents);
  await run.each(attachments);
  await run.each(files, FILES);
  await run.each(referenceRecords);
  await run.each(jobFacts);
  await run.each(tombstones);
  await run.each(auditLog);
  for (const check of [unattachedFiles, looseChunks, referenceTotals, tenantUsage, statisticsRollups])
    await run.whole(check);
  run.notes.push(...(await atOneMoment(options.client, options.db, statisticsNotes)));
  await run.audits();
  return { read: run.read, findings: run.findings, omitted: run.omitted, notes: run.notes };
}

class Run {
  readonly read: Record<string, number> = {};
  readonly findings: Finding[] = [];
  readonly notes: string[] = [];
  omitted = 0;
  readonly #options: VerifyOptions;

  constructor(options: VerifyOptions) {
    this.#options = options;
  }

  async each<S extends { readonly _id: string }>(check: CollectionCheck<S>, limit = BATCH): Promise<void> {
    const { client, db, progress } = this.#options;
    const { collection } = check;
    const total = await db.collection(collection).estimatedDocumentCount();
    const suspects = new Findings();
    let read = 0;
    for (let place: string | undefined; ; ) {
      const last = await atOneMoment(client, db, async (snapshot) => {
        const batch = await snapshot.after<S>(collection, place, limit);
        read += batch.length;
        if (batch.length > 0) suspects.add(findingsOf(collection, await faultsOf(check, batch, snapshot)));
        return batch.at(-1);
      });
      if (!last) break;
      place = last._id;
      progress?.(collection, read, total);
    }
    this.read[collection] = read;
    if (suspects.listed.length === 0) return;
    await this.#untilSettled();
    const ids = [...new Set(suspects.listed.map(({ id }) => id))];
    for (let at = 0; at < ids.length; at += BATCH) {
      const faults = await atOneMoment(client, db, async (snapshot) =>
        faultsOf(check, await snapshot.byIds<S>(collection, ids.slice(at, at + BATCH)), snapshot),
      );
      this.findings.push(...suspects.confirmedBy(findingsOf(collection, faults)));
    }
    this.omitted += suspects.omitted;
  }

  async whole(check: WholeCheck): Promise<void> {
    const suspects = await this.#wholeOnce(check);
    if (suspects.listed.length === 0) return;
    await this.#untilSettled();
    const again = await this.#wholeOnce(check);
    this.findings.push(...suspects.confirmedBy(again.listed));
    this.omitted += again.omitted;
  }

  async audits(): Promise<void> {
    const options = { againMs: AGAIN_MS, ...this.#options, most: MAX_FINDINGS };
    const { read, findings, omitted, notes } = await checkAudits(options);
    if (read > 0) this.read[AUDITS] = read;
    this.findings.push(...findings);
    this.notes.push(...notes);
    this.omitted += omitted;
  }

  #wholeOnce(check: WholeCheck): Promise<Findings> {
    const { client, db } = this.#options;
    return atOneMoment(client, db, async (snapshot) => {
      const found = new Findings();
      for await (const finding of check.findings(snapshot)) found.add([finding]);
      return found;
    });
  }

  #untilSettled(): Promise<void> {
    return sleep(this.#options.againMs ?? AGAIN_MS);
  }
}

/** The faults in a batch; a document that the check itself fails on has that as its fault. */
async function faultsOf<S extends { readonly _id: string }>(
  check: CollectionCheck<S>,
  batch: readonly S[],
  snapshot: Snapshot,
): Promise<Faults> {
  const faults: Fault[] = [];
  const unchecked = ({ _id }: S, error: unknown): void => {
    faults.push([_id, `cannot be checked: ${(error as Error).message}`]);
  };
  const some = inSmallerParts(batch, (part) => check.faults(part, snapshot), unchecked);
  for await (const found of some) faults.push(...found);
  return faults;
}

type Fault = Faults[number];
type Faults = Awaited<ReturnType<CollectionCheck<never>['faults']>>;

/** The findings of one check. */
class Findings {
  readonly listed: Finding[] = [];
  omitted = 0;

  add(findings: readonly Finding[]): void {
    const taken = findings.slice(0, MAX_FINDINGS - this.listed.length);
    this.listed.push(...taken);
    this.omitted += findings.length - taken.length;
  }

  /** The findings that a second check confirms. */
  confirmedBy(again: readonly Finding[]): Finding[] {
    const known = new Set(this.listed.map(textOf));
    return again.filter((finding) => known.has(textOf(finding)));
  }
}

const textOf = ({ collection, id, fault }: Finding): string => `${collection} ${id} ${fault}`;

const findingsOf = (collection: string, faults: readonly (readonly [string, string])[]): Finding[] =>
  faults.map(([id, fault]) => ({ collection, id, fault }));
