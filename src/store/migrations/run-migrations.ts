import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from 'mongodb';
import { HeldLease } from '../leases/held-lease.ts';
import { Lease } from '../leases/lease.ts';
import { FORM, MIGRATIONS } from './list.ts';
import type { Migration } from './migration.ts';
import { type MigrationLog, ProgressReport } from './progress-report.ts';
import { StoredForm } from './stored-form.ts';

/** The lease of the one process that migrates. */
const MIGRATION_LEASE = 'migration';

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
    const held = new HeldLease(lease, takenOver);
    try {
      await migrateNext(db, form, { log, held });
    } finally {
      await held.end();
    }
  }
}

const takenOver = (): Error => new Error('The migration of the stored form was taken over by another process.');

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
  report.say(before ? 'the migration of the stored form continues' : 'the stored form is migrated', progress(), true);
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

/**
 * Does again what finds the writes of gateways that were older than the stored form: after the last of them has stopped,
 * everything is in the present form. How many documents were changed.
 */
export async function repeatMigrations(db: Db, log: MigrationLog): Promise<number> {
  const lease = new Lease(db, MIGRATION_LEASE);
  while (!(await lease.take())) await sleep(ASKED_AGAIN_MS);
  const held = new HeldLease(lease, takenOver);
  let all = 0;
  try {
    for (const { title, isRepeatable, total: count, steps } of new Set(MIGRATIONS)) {
      if (!isRepeatable) continue;
      const total = await count(db);
      const report = new ProgressReport(log, 0);
      const sum = { read: 0, changed: 0 };
      for await (const { read, changed } of steps(db, undefined)) {
        held.check();
        sum.read += read;
        sum.changed += changed;
        report.say('a migration is done again', { title, total, ...sum });
      }
      report.say('a migration was done again', { title, total: Math.max(total, sum.read), ...sum }, true);
      all += sum.changed;
    }
  } finally {
    await held.end();
  }
  return all;
}
