import type { Db } from 'mongodb';
import { FORM } from './list.ts';
import { StoredForm } from './stored-form.ts';

/** Throws when this version cannot use the database as it is stored; an older form can be used where it is migrated. */
export async function checkForm(db: Db, isMigrated: boolean): Promise<void> {
  const number = await new StoredForm(db).number();
  if (number === FORM || isMigrated) return;
  throw new Error(
    `The database "${db.databaseName}" has stored form ${number}, and this version works with form ${FORM}. Start the service once, which migrates it (docs/operations.md, "Upgrade").`,
  );
}
