import { randomUUID } from 'node:crypto';
import type { Collection, Db, UpdateFilter } from 'mongodb';
import { PROGRAM } from '../../model/command-line.ts';
import { duplicateKeyIndex } from '../duplicate-key.ts';
import { FORM } from './list.ts';

/** The progress of a migration. */
export interface MigrationProgress {
  readonly to: number;
  readonly title: string;
  readonly place?: string;
  readonly read: number;
  readonly changed: number;
  readonly total: number;
}

/** The record of the stored form in `meta`. A database that has none and is not empty has form 0. */
interface FormRecord {
  readonly _id: 'form';
  readonly number: number;
  readonly since: Date;
  readonly migration?: MigrationProgress;
}

/** What `meta` holds while a backup is being restored into the database: only the mark of that restore. */
interface RestoreMark {
  readonly _id: 'restore';
  readonly file: string;
  readonly started_at: Date;
  readonly token: string;
}

/** Collections of which at least one is not empty once a database is in use. */
const FIRST_USED = ['principals', 'organizations', 'workspaces', 'documents', 'reference_records'];

/** The storage form of a database, stored in the collection `meta`. */
export class StoredForm {
  readonly #db: Db;
  readonly #forms: Collection<FormRecord>;
  readonly #restores: Collection<RestoreMark>;

  constructor(db: Db) {
    const options = { readConcern: { level: 'majority' } } as const;
    this.#db = db;
    this.#forms = db.collection('meta', options);
    this.#restores = db.collection('meta', options);
  }

  /** The number of the form; an empty database is given the current one. Throws if this version cannot use it. */
  async number(): Promise<number> {
    const found = await this.find();
    if (found === undefined) await this.set(FORM);
    return found ?? FORM;
  }

  /** The number of the form; undefined for an empty database. Changes nothing. Throws if this version cannot use the form. */
  async find(): Promise<number | undefined> {
    const [form, restore] = await Promise.all([this.#form(), this.#restores.findOne({ _id: 'restore' })]);
    if (restore) throw new Error(halfRestored(this.#db.databaseName, restore));
    if (!form && (await this.#isEmpty())) return undefined;
    const number = form?.number ?? 0;
    if (number > FORM) throw new Error(tooNew(this.#db.databaseName, number));
    return number;
  }

  /** Sets the database's form, whatever it was. */
  async set(number: number): Promise<void> {
    await this.#forms.updateOne({ _id: 'form' }, formNow(number), { upsert: true });
  }

  /** Sets the database's form; false if it no longer has the one before. */
  reach(number: number): Promise<boolean> {
    return this.#changeBefore(number, formNow(number));
  }

  /** The progress of the migration to the next form. */
  async progress(): Promise<MigrationProgress | undefined> {
    const { number, migration } = (await this.#form()) ?? {};
    return migration?.to === (number ?? 0) + 1 ? migration : undefined;
  }

  /** Saves the progress; false if the form it leads to is no longer the next one. */
  keepProgress(migration: MigrationProgress): Promise<boolean> {
    return this.#changeBefore(migration.to, { $set: { migration }, $setOnInsert: { since: new Date() } });
  }

  /** Changes the record of the form while `next` is the next one. */
  async #changeBefore(next: number, change: UpdateFilter<FormRecord>): Promise<boolean> {
    try {
      const options = { upsert: next === 1 }; // a database of form 0 may have no record yet
      const { matchedCount, upsertedCount } = await this.#forms.updateOne(
        { _id: 'form', number: next - 1 },
        change,
        options,
      );
      return matchedCount + upsertedCount === 1;
    } catch (error) {
      if (duplicateKeyIndex(error) === undefined) throw error;
      return false;
    }
  }

  /** Marks the database as half restored: nothing can start on it until this restore, or another one begun later, is done. */
  async beginRestore(file: string): Promise<RestoreMark> {
    const mark = { _id: 'restore', file, started_at: new Date(), token: randomUUID() } as const;
    await this.#restores.replaceOne({ _id: mark._id }, mark, { upsert: true });
    return mark;
  }

  /** Whether no other restore has marked the database since. */
  async isRestoring(mark: RestoreMark): Promise<boolean> {
    return (await this.#restores.findOne({ ...mark })) !== null;
  }

  /** Marks the restored data as complete and of this form; false if another restore has marked the database since. */
  async endRestore(mark: RestoreMark, number: number): Promise<boolean> {
    if (!(await this.isRestoring(mark))) return false;
    await this.set(number);
    return (await this.#restores.deleteOne({ ...mark })).deletedCount === 1;
  }

  async #form(): Promise<FormRecord | undefined> {
    return (await this.#forms.findOne({ _id: 'form' })) ?? undefined;
  }

  async #isEmpty(): Promise<boolean> {
    const options = { projection: { _id: 1 } } as const;
    const found = await Promise.all(FIRST_USED.map((name) => this.#db.collection(name).findOne({}, options)));
    return found.every((one) => one === null);
  }
}

const formNow = (number: number) =>
  ({ $set: { number, since: new Date() }, $unset: { migration: true } }) satisfies UpdateFilter<FormRecord>;

const tooNew = (database: string, number: number): string =>
  `The database "${database}" has stored form ${number}, and this version of the service knows forms up to ${FORM}: a newer version has written it. Start that version or a later one, or restore a backup that was made before the upgrade (docs/operations.md, "Upgrade").`;

const halfRestored = (database: string, { file, started_at }: RestoreMark): string =>
  `The database "${database}" is half restored: the restore of ${file}, begun ${started_at.toISOString()}, has not ended. If it no longer runs, run it again with --replace (${PROGRAM} restore FILE --replace).`;
