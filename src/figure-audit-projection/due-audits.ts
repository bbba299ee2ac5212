import { misjudged, usualRanges } from '../domain/analysis/figure-audit/kept-history.ts';
import { type StoredAudit, vesselDue } from '../store/figure-audits/kept-audit.ts';
import type { KeptAudits, RecordGroup } from '../store/figure-audits/kept-audits.ts';
import { type Basis, basisOfFactor, basisOfHistory } from './basis-of-verdicts.ts';
import type { KeptFigures } from './kept-figures.ts';
import { gradesOf, misjudgedVoyages } from './kept-voyages.ts';
import type { RecordGroups } from './record-groups.ts';

/** For how many products and vessels the basis of verdicts is remembered. */
const MOST_REMEMBERED = 5_000;

/**
 * Finds the jobs whose verdict may change because another job of their product or vessel changed. The basis of the last verdicts
 * on a product or vessel is remembered: most new jobs have no figures yet, and leave it unchanged.
 */
export class DueAudits {
  readonly #kept: KeptAudits;
  readonly #figures: KeptFigures;
  readonly #groups: RecordGroups;
  /** By the due text of a group. */
  readonly #bases = new Map<string, Basis & { room: number }>();

  constructor(kept: KeptAudits, figures: KeptFigures, groups: RecordGroups) {
    this.#kept = kept;
    this.#figures = figures;
    this.#groups = groups;
  }

  /** Forgets everything: links between records changed, or work was restarted or not finished. */
  forget(): void {
    this.#groups.forget();
    this.#bases.clear();
  }

  /** Whether a job audited for the first time leaves the verdicts that are due because of it unchanged. */
  isNothingTo(due: string, { percentages, compared, ...audit }: StoredAudit): boolean {
    if (percentages || compared) return false;
    const basis = this.#basisOf(due);
    if (!basis || basis.room <= 0) return false;
    if (gradesOf([audit]).some(({ trip }) => trip !== undefined && basis.trips.has(trip))) return false;
    basis.room -= 1;
    return true;
  }

  /** The vessels whose verdicts may change because a job without figures, kept as before, was completed or reopened. */
  movedOn(audit: StoredAudit): string[] {
    const { workspace, vessels = [], compared } = audit;
    if (compared) return []; // what is kept of the job would have changed
    const dues = vessels.map((vessel) => vesselDue(workspace, vessel));
    return dues.filter((due) => this.#basisOf(due)?.isFull !== false || !this.isNothingTo(due, audit));
  }

  /** Everything that is judged together with `due`: the same for each record of its group. */
  async judgedWith(due: string): Promise<readonly string[]> {
    const [what, workspace = '', record = ''] = due.split(' ');
    const { records } = await this.#groups.of(workspace, record);
    return records.map((one) => [what, workspace, one].join(' '));
  }

  /**
   * Those among many that are due on which nothing is judged: products of which no job has percentages, and vessels with whose factor no
   * job is compared.
   */
  async idleAmong(dues: readonly string[]): Promise<string[]> {
    const idle: string[] = [];
    const split = dues.map((due) => due.split(' '));
    for (const [of, some] of Map.groupBy(split, ([what, workspace]) => `${what} ${workspace}`)) {
      const [what, workspace = ''] = of.split(' ');
      const records = some.map(([, , record = '']) => record);
      const groups = await this.#groups.ofEach({ workspace, records });
      const all = { workspace, records: [...new Set(groups.flatMap((group) => group.records))] };
      const judged =
        what === 'product' ? await this.#kept.productsWithPercentages(all) : await this.#kept.vesselsCompared(all);
      for (const [at, record] of records.entries()) {
        const group = groups[at];
        if (!group || group.records.some((one) => judged.has(one))) continue;
        this.#bases.delete(keyOf(what, group));
        idle.push([what, workspace, record].join(' '));
      }
    }
    return idle;
  }

  /** `due`: as returned by `dueAfter` (src/store/figure-audits/kept-audit.ts). */
  async jobsOf(due: string): Promise<readonly string[]> {
    const [what, workspace = '', record = ''] = due.split(' ');
    const group = await this.#groups.of(workspace, record);
    return what === 'product' ? this.#ofProduct(group) : this.#ofVessel(group);
  }

  #basisOf(due: string): (Basis & { room: number }) | undefined {
    const [what, workspace = '', record = ''] = due.split(' ');
    const group = this.#groups.known(workspace, record);
    return group && this.#bases.get(keyOf(what, group));
  }

  /** A percentage is judged by those of the newest jobs of its product: a newest job by the others, older jobs by all of them. */
  async #ofProduct(group: RecordGroup): Promise<string[]> {
    const history = await this.#figures.historyOf(group);
    if (!this.#isNew(keyOf('product', group), basisOfHistory(history))) return [];
    const counted = history.counted.map(({ _id, percentages = [] }) => ({ job: _id, percentages }));
    const wrong = misjudged(counted);
    if (!history.isMore) return wrong;
    const isCounted = new Set(counted.map(({ job }) => job));
    const older = await this.#kept.misjudged(group, usualRanges(counted));
    return [...wrong, ...older.filter((id) => !isCounted.has(id))];
  }

  /** A job is judged by the newest voyages of its vessel, excluding its own. */
  async #ofVessel(group: RecordGroup): Promise<readonly string[]> {
    const { grades, earlier, room } = await this.#figures.voyagesOf(group);
    const key = keyOf('vessel', group);
    if (earlier.length > 0) {
      this.#bases.delete(key);
      return distinctIds([...earlier, ...(await this.#kept.comparedWith(group))]);
    }
    const isNew = this.#isNew(key, basisOfFactor(grades, room));
    return isNew ? misjudgedVoyages(await this.#kept.comparedWith(group), grades) : [];
  }

  /** Whether verdicts have another basis than last time; remembers the new one. */
  #isNew(key: string, basis: Basis): boolean {
    const before = this.#bases.get(key);
    if (this.#bases.size >= MOST_REMEMBERED) this.#bases.clear();
    this.#bases.set(key, { ...basis });
    return before?.text !== basis.text;
  }
}

const distinctIds = (audits: readonly { readonly _id: string }[]) => [...new Set(audits.map(({ _id }) => _id))];
/** The first record represents the group: everything remembered is forgotten when groups change. */
const keyOf = (what: string | undefined, { workspace, records: [first] }: RecordGroup): string =>
  [what, workspace, first].join(' ');
