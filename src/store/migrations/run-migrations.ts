import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { Lease } from '../lease.ts';
import { FORM, MIGRATIONS } from './list.ts';
import type { Migration } from './migration.ts';
import { type MigrationLog, ProgressReport } from './progress-report.ts';
import { StoredForm } from './stored-form.ts';

/** The lease of the one process that migrates. */
export const MIGRATION_LEASE = 'migration';

const RENEWED_MS = 3_000;
const ASKED_AGAIN_MS = 1_000;

/**
 * Brings the database to the present form, and returns when it has it. One process of all that start migrates, under a
 * lease, and goes on where one that died has stopped; the others wait here.
 */
export async function migrate(db: Db, log: MigrationLog): Promise<void> {
  const form = new StoredForm(db);
  const lease = new Lease(db, MIGRATION_LEASE);
  const waiting = new ProgressReport(log);
  while ((await form.number()) < FORM) {
    if (!(await lease.take())) {
      const progress = await form.progress();
      if (progress) waiting.say('another process migrates the stored form; this one waits', progress);
      await sleep(ASKED_AGAIN_MS);
      continue;
    }
    const held = new HeldLease(lease);
    try {
      await migrateNext(db, form, { log, held });
    } finally {
      await held.end();
    }
  }
}

/** Makes the next form of the present one. The number is read under the lease: another process may have been quicker. */
async function migrateNext(
  db: Db,
  form: StoredForm,
  { log, held }: { readonly log: MigrationLog; readonly held: HeldLease },
): Promise<void> {
  const number = await form.number();
  const migration: Migration | undefined = MIGRATIONS[number];
  if (!migration) return;
  const { title } = migration;
  const before = await form.progress();
  let { place, read, changed } = before ?? { place: undefined, read: 0, changed: 0 };
  const progress = () => ({ to: number + 1, title, ...(place && { place }), read, changed, total });
  const total = Math.max(await migration.total(db), read);
  const report = new ProgressReport(log, read);
  report.say(before ? 'the migration of the stored form goes on' : 'the stored form is migrated', progress(), true);
  for await (const step of migration.steps(db, place)) {
    held.check();
    place = step.place;
    read += step.read;
    changed += step.changed;
    await form.keepProgress(progress());
    report.say('the stored form is migrated', progress());
  }
  held.check();
  await form.set(number + 1);
  report.say('the stored form has been migrated', progress(), true);
}

/** A lease that is renewed until its work ends. */
class HeldLease {
  readonly #lease: Lease;
  readonly #timer: NodeJS.Timeout;
  #lost: Error | undefined;

  constructor(lease: Lease) {
    this.#lease = lease;
    this.#timer = setInterval(() => void this.#renew(), RENEWED_MS);
  }

  /** Throws when another process may have the lease by now. */
  check(): void {
    if (this.#lost) throw this.#lost;
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#lease.release();
  }

  async #renew(): Promise<void> {
    try {
      if (await this.#lease.take()) return;
      this.#lost = new Error('The migration of the stored form was taken over by another process.');
    } catch {
      // tried again in time; when the database is away, the migration fails by itself
    }
  }
}
