import { readConfig } from '../../config.ts';
import { PROGRAM } from '../../model/command-line.ts';
import type { Quotas } from '../../store/access/quota-kinds.ts';
import { TenantUsage, USAGE_ID } from '../../store/access/tenant-usage.ts';
import type { Stores } from '../../store/stores.ts';
import { refuseAllBut } from '../arguments/words.ts';
import { runOnDatabase } from '../on-database.ts';

export const USAGE = `${PROGRAM} usage               how much of its quotas each tenant uses
${PROGRAM} usage --rebuild     counts what is stored again, and corrects the numbers`;

/** Lists the usage of tenants, or corrects the numbers. */
export const run = (args: readonly string[]): Promise<void> =>
  runOnDatabase(() => {
    refuseAllBut(['--rebuild'], args);
    return args.includes('--rebuild') ? rebuild : list;
  });

async function list({ usage, db }: Stores): Promise<void> {
  if (!(await isKept(db))) return;
  for (const { tenant, ...numbers } of await usage.list()) console.log(`${tenant}  ${textOf(numbers)}`);
}

/** If the command has the quotas of the service, anything they limit that is not counted yet is counted first. */
async function rebuild({ usage, db }: Stores): Promise<void> {
  const limited = new TenantUsage(db, readConfig(process.env).quotas);
  if (limited.isKept) await limited.begin();
  if (!(await isKept(db))) return;
  const { corrected, busy } = await usage.rebuild();
  for (const { tenant, kept, stored } of corrected) {
    console.log(`${tenant}  ${textOf(kept)}\n  corrected to: ${textOf(stored)}`);
  }
  if (busy.length > 0) {
    throw new Error(`These tenants kept writing, so their numbers were left unchanged: ${busy.join(', ')}. Try again.`);
  }
  if (corrected.length === 0) console.log('The numbers are right.');
}

async function isKept(db: Stores['db']): Promise<boolean> {
  if (await db.collection<{ _id: string }>('meta').findOne({ _id: USAGE_ID })) return true;
  console.log(
    'Nothing is counted: the service runs without quotas (MAX_TENANT_DOCUMENTS and so on). If it has any, run usage --rebuild with the same ones.',
  );
  return false;
}

const textOf = ({ documents, workspaces, fileBytes }: Quotas): string =>
  `${counted(documents, 'document')}, ${counted(workspaces, 'workspace')}, ${counted(fileBytes, 'byte')} of files`;

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
