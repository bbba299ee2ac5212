import type { Entity, PlacedEntity } from '../model/entity.ts';
import type { Asker } from './asker.ts';

/** The most documents of one type and job that calculations read. */
export const MAX_REPORTED = 1_000;
/** The most jobs of one record that calculations read. */
const MAX_JOBS_OF_RECORD = 200;

/** What calculations read: everything that was reported, up to a fixed number, and not page by page. */
export class Reported {
  readonly #asker: Asker;

  constructor(asker: Asker) {
    this.#asker = asker;
  }

  /** The newest documents of one type below each of the jobs, at most one more than `MAX_REPORTED`. */
  async below(jobs: readonly string[], type: string): Promise<Entity[][]> {
    const match = { type, readers: this.#asker.tenant };
    const rows = await this.#asker.read.documents.below(jobs, match, {
      limit: MAX_REPORTED + 1,
      ...this.#asker.time,
    });
    const found = Map.groupBy(rows, ({ parentId }) => parentId);
    return jobs.map((job) => found.get(job) ?? []);
  }

  /** The newest jobs that refer to each of the records. */
  async jobsOf(records: readonly PlacedEntity[]): Promise<Entity[][]> {
    const workspaces = [...new Set(records.map(({ workspaceId }) => workspaceId))];
    const ids = records.map(({ id }) => id);
    const scope = { workspaces, readers: this.#asker.tenant };
    const window = { limit: MAX_JOBS_OF_RECORD, ...this.#asker.time };
    const rows = await this.#asker.read.statistics.newestJobs(ids, scope, window);
    const found = Map.groupBy(rows, ({ record }) => record);
    return ids.map((id) => (found.get(id) ?? []).map(({ job }) => job));
  }
}
