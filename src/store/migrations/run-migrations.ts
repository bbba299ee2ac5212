import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { type InterruptionLog, throughOutages } from '../connection/through-outages.ts';
import { HeldLease } from '../leases/held-lease.ts';
import { Lease } from '../leases/lease.ts';
import { FORM, MIGRATIONS } from './list.ts';
import type { Migration } from './migration.ts';
import { type MigrationLog, ProgressReport } from './progress-report.ts';
import { StoredForm } from './stored-form.ts';

/** The lease of the one process that migrates. */
const MIGRATION_LEASE = 'migration';

const ASKED_AGAIN_MS = 1_000;

const DOING = 'the stored form is migrated';

/** The log for migrations' progress and interruptions. */
export type MigratingLog = MigrationLog & InterruptionLog;

/**
 * Migrates the database to the current form, and returns once it has it. One of the processes that start migrates, under a
 * lease, and resumes where a dead process stopped, or where it was when MongoDB went away; the others wait here. Once stopped,
 * it throws the reason after the current batch, and another process can resume at once.
 */
export async function migrate(db: Db, log: MigratingLog, stopped?: AbortSignal): Promise<void> {
  const lease = new Lease(db, MIGRATION_LEASE);
  await throughOutages({ client: db.client, log, doing: DOING, stopped }, () =>
    migrateUnder(lease, db, { log, stopped }),
  );
}

interface Conditions {
  readonly log: MigratingLog;
  readonly stopped: AbortSignal | undefined;
}

async function migrateUnder(lease: Lease, db: Db, { log, stopped }: Conditions): Promise<void> {
  const form = new StoredForm(db);
  const waiting = new ProgressReport(log);
  while ((await form.number()) < FORM) {
    stopped?.throwIfAborted();
    if (!(await lease.take())) {
      const progress = await form.progress();
      if (progress) waiting.say('another process migrates the stored form; this one waits', progress);
      await sleep(ASKED_AGAIN_MS, undefined, { signal: stopped });
      continue;
    }
    const held = new HeldLease(lease, takenOver);
    try {
      await migrateNext(db, form, { log, stopped, held });
    } finally {
      await held.end();
    }
  }
}

const takenOver = (): Error => new Error('The migration of the stored form was taken over by another process.');

/** Migrates to the next form. The number is read under the lease: another process may have been quicker. */
async function migrateNext(
  db: Db,
  form: StoredForm,
  { log, stopped, held }: Conditions & { readonly held: HeldLease },
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
  report.say(before ? 'the migration of the stored form continues' : 'the stored form is migrated', progress(), true);
  for await (const step of migration.steps(db, place, log)) {
    held.check();
    place = step.place;
    read += step.read;
    changed += step.changed;
    if (!(await form.keepProgress(progress()))) throw takenOver();
    stopped?.throwIfAborted();
    report.say('the stored form is migrated', progress());
  }
  held.check();
  if (!(await form.reach(number + 1))) throw takenOver();
  report.say('the stored form has been migrated', progress(), true);
}

/**
 * Repeats the migrations that find writes of gateways older than the stored form: after the last such gateway has stopped,
 * everything is in the current form. Returns how many documents changed.
 */
export async function repeatMigrations(db: Db, log: MigratingLog, stopped?: AbortSignal): Promise<number> {
  const lease = new Lease(db, MIGRATION_LEASE);
  let all = 0;
  for (const migration of new Set(MIGRATIONS)) {
    if (!migration.isRepeatable) continue;
    const repetition = new Repetition(migration, db, log);
    const interruptible = { client: db.client, log, doing: 'a migration is done again', stopped };
    await throughOutages(interruptible, () => repetition.goOn(lease, stopped));
    all += repetition.changed;
  }
  return all;
}

/** A repeated migration and its progress. */
class Repetition {
  readonly #migration: Migration;
  readonly #db: Db;
  readonly #report: ProgressReport;
  readonly #log: InterruptionLog;
  #place: string | undefined;
  #read = 0;
  changed = 0;

  constructor(migration: Migration, db: Db, log: MigratingLog) {
    this.#log = log;
    this.#migration = migration;
    this.#db = db;
    this.#report = new ProgressReport(log, 0);
  }

  async goOn(lease: Lease, stopped: AbortSignal | undefined): Promise<void> {
    while (!(await lease.take())) await sleep(ASKED_AGAIN_MS, undefined, { signal: stopped });
    const held = new HeldLease(lease, takenOver);
    try {
      const total = await this.#migration.total(this.#db);
      for await (const { place, read, changed } of this.#migration.steps(this.#db, this.#place, this.#log)) {
        held.check();
        this.#place = place;
        this.#read += read;
        this.changed += changed;
        this.#say('a migration is done again', total);
        stopped?.throwIfAborted();
      }
      this.#say('a migration was done again', Math.max(total, this.#read), true);
    } finally {
      await held.end();
    }
  }

  #say(message: string, total: number, now = false): void {
    const { title } = this.#migration;
    this.#report.say(message, { title, total, read: this.#read, changed: this.changed }, now);
  }
}
