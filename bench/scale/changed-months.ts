import { CHANGED_MONTHS } from '../../src/store/statistics/changed-months.ts';
import { startOf } from '../../src/store/statistics/rollups.ts';
import type { Stores } from '../../src/store/stores.ts';

/** The years that have jobs. */
const [FROM, TO] = [new Date('2018-01-01'), new Date('2027-01-01')];

/** Marks every month of every workspace as changed, so that no cached statistics are used; the returned function undoes this. */
export async function changeEveryMonth({ db }: Stores): Promise<() => Promise<void>> {
  const months: Date[] = [];
  for (let month = FROM; month < TO; month = startOf('month', month, 1)) months.push(month);
  const workspaces = await db
    .collection<{ _id: string; readers: readonly string[] }>('workspaces')
    .find({}, { projection: { readers: 1 } })
    .toArray();
  const told = db.collection<{ _id: string }>(CHANGED_MONTHS);
  const every = workspaces.flatMap(({ _id: workspace, readers }) =>
    months.map((month) => ({
      _id: `bench ${workspace} ${month.getTime()}`,
      workspace,
      readers,
      month,
      at: new Date(),
    })),
  );
  await told.insertMany(every);
  return async () => void (await told.deleteMany({ _id: /^bench / }));
}
