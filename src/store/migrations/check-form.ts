import type { Db } from 'mongodb';
import { FORM } from './list.ts';
import { StoredForm } from './stored-form.ts';

/** Throws if this version cannot use the database's stored form; an older form is usable if it is migrated. */
export async function checkForm(db: Db, isMigrated: boolean): Promise<void> {
  const number = await new StoredForm(db).number();
  if (!isMigrated) refuseOlder(db, number);
}

/** Throws if a database that is not empty has another stored form than this version; changes nothing. */
export async function checkFormToRead(db: Db): Promise<void> {
  refuseOlder(db, (await new StoredForm(db).find()) ?? FORM);
}

function refuseOlder(db: Db, number: number): void {
  if (number === FORM) return;
  throw new Error(
    `The database "${db.databaseName}" has stored form ${number}, and this version works with form ${FORM}. Start the service once, which migrates it (docs/operations.md, "Upgrade").`,
  );
}
