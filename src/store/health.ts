import type { Db } from 'mongodb';
import { HEALTHY, type HealthReport } from '../model/health.ts';

const PATIENCE_MS = 2_000;
const FRESH_MS = 1_000;

/** A check that really writes to MongoDB and reads GridFS; asked more often than once a second it answers from memory. */
export function healthCheck(db: Db): () => Promise<HealthReport> {
  let report: Promise<HealthReport> | undefined;
  let made = 0;
  return () => {
    if (!report || Date.now() - made > FRESH_MS) {
      made = Date.now();
      report = check(db);
    }
    return report;
  };
}

async function check(db: Db): Promise<HealthReport> {
  const [metadataStore, dataStore] = await Promise.all([
    outcome('not writable', () =>
      db
        .collection<{ _id: string; at: Date }>('health')
        .updateOne(
          { _id: 'writable' },
          { $set: { at: new Date() } },
          { upsert: true, writeConcern: { w: 'majority', wtimeoutMS: PATIENCE_MS } },
        ),
    ),
    outcome('not readable', () =>
      db.collection('fs.files').findOne({}, { projection: { _id: 1 }, maxTimeMS: PATIENCE_MS }),
    ),
  ]);
  return { metadataStore, dataStore };
}

async function outcome(problem: string, work: () => Promise<unknown>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(problem), PATIENCE_MS);
  });
  const done = work().then(
    () => HEALTHY,
    () => problem,
  );
  const result = await Promise.race([done, late]);
  clearTimeout(timer);
  return result;
}
