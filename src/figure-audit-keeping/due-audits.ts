import { misjudged, usualRanges } from '../domain/analysis/figure-audit/kept-history.ts';
import { PRIMARY_METHOD } from '../domain/job-analysis/experience.ts';
import { JOBS_OF_HISTORY } from '../domain/job-analysis/figure-audits.ts';
import type { KeptAudits, RecordGroup } from '../store/figure-audits/kept-audits.ts';
import type { Auditor } from './auditor.ts';

/** The rule whose verdict depends on the other voyages of the vessel. */
const OF_THE_VESSEL = 'SHIP_SHORE_FACTOR';

/** Finds the jobs whose verdict may change because another job of their product or vessel did. */
export class DueAudits {
  readonly #kept: KeptAudits;
  readonly #auditor: Auditor;

  constructor(kept: KeptAudits, auditor: Auditor) {
    this.#kept = kept;
    this.#auditor = auditor;
  }

  /** `due`: what `dueAfter` (src/store/figure-audits/kept-audit.ts) says. */
  async jobsOf(due: string): Promise<readonly string[]> {
    const [what, workspace = '', record = ''] = due.split(' ');
    const group = await this.#auditor.groupOf({ workspace, records: [record] });
    return what === 'product' ? this.#ofProduct(group) : this.#ofVessel(group);
  }

  /** A job is judged by the newest others of its product: the newest of all by those without itself, older ones by the same. */
  async #ofProduct(group: RecordGroup): Promise<string[]> {
    const newest = await this.#kept.newestOf(group, JOBS_OF_HISTORY + 1);
    const history = newest.map(({ _id, percentages = [] }) => ({ job: _id, percentages }));
    const wrong = misjudged(history);
    if (newest.length <= JOBS_OF_HISTORY) return wrong;
    const isNewest = new Set(newest.map(({ _id }) => _id));
    const older = await this.#kept.misjudged(group, usualRanges(history.slice(0, JOBS_OF_HISTORY)));
    return [...wrong, ...older.filter((id) => !isNewest.has(id))];
  }

  async #ofVessel(group: RecordGroup): Promise<readonly string[]> {
    const compared = await this.#kept.comparedWith(group);
    if (compared.length > PRIMARY_METHOD.minimum) return compared;
    // Too few for a factor: only what had one before is judged otherwise now.
    const audits = await this.#kept.byIds(compared);
    return compared.filter((id) => audits.get(id)?.findings.some(({ rule }) => rule === OF_THE_VESSEL));
  }
}
