import { misjudged, usualRanges } from '../domain/analysis/figure-audit/kept-history.ts';
import { MAX_JOBS_OF_PRODUCT, MAX_JOBS_OF_RECORD } from '../domain/documents/related-documents.ts';
import { JOBS_OF_HISTORY } from '../domain/job-analysis/figure-audits.ts';
import type { AuditedDocuments } from '../store/figure-audits/audited-documents.ts';
import { isOfEarlierVersion, type StoredAudit, vesselDue } from '../store/figure-audits/kept-audit.ts';
import type { HistoryShare, KeptAudits, RecordGroup } from '../store/figure-audits/kept-audits.ts';
import type { Auditor } from './auditor.ts';
import { type Basis, basisOfFactor, basisOfHistory, historyAmong } from './basis-of-verdicts.ts';
import { gradesOf, misjudgedVoyages } from './kept-voyages.ts';

/** Of how many products and vessels it is remembered what verdicts were based on. */
const MOST_REMEMBERED = 5_000;

/**
 * Finds the jobs whose verdict may change because another job of their product or vessel did. What the last verdicts on a
 * product or vessel were based on is remembered: most new jobs have no figures yet, and change nothing in it.
 */
export class DueAudits {
  readonly #kept: KeptAudits;
  readonly #documents: AuditedDocuments;
  readonly #auditor: Auditor;
  /** By what is due: the records that are one item, and what the verdicts are based on. */
  readonly #groups = new Map<string, RecordGroup>();
  readonly #bases = new Map<string, Basis & { room: number }>();

  constructor(kept: KeptAudits, documents: AuditedDocuments, auditor: Auditor) {
    this.#kept = kept;
    this.#documents = documents;
    this.#auditor = auditor;
  }

  /** Forgets what is remembered: links between records changed, or work was begun anew or not finished. */
  forget(): void {
    this.#groups.clear();
    this.#bases.clear();
  }

  /** Whether a job that is audited for the first time leaves the verdicts that are due because of it as they are. */
  isNothingTo(due: string, { percentages, compared, ...audit }: StoredAudit): boolean {
    if (percentages || compared) return false;
    const basis = this.#basisOf(due);
    if (!basis || basis.room <= 0) return false;
    if (gradesOf([audit]).some(({ trip }) => trip !== undefined && basis.trips.has(trip))) return false;
    basis.room -= 1;
    return true;
  }

  /** The vessels whose verdicts may change because a job without figures, of which the same is kept as before, was done or begun again. */
  movedOn(audit: StoredAudit): string[] {
    const { workspace, vessels = [], compared } = audit;
    if (compared) return []; // what is kept of it would have changed
    const dues = vessels.map((vessel) => vesselDue(workspace, vessel));
    return dues.filter((due) => this.#basisOf(due)?.isFull !== false || !this.isNothingTo(due, audit));
  }

  /** `due`: what `dueAfter` (src/store/figure-audits/kept-audit.ts) says. */
  async jobsOf(due: string): Promise<readonly string[]> {
    const [what] = due.split(' ');
    const group = await this.#groupOf(due);
    return what === 'product' ? this.#ofProduct(group) : this.#ofVessel(group);
  }

  #basisOf(due: string): (Basis & { room: number }) | undefined {
    const group = this.#groups.get(due);
    return group && this.#bases.get(keyOf(due.split(' ')[0], group));
  }

  async #groupOf(due: string): Promise<RecordGroup> {
    const [, workspace = '', record = ''] = due.split(' ');
    const known = this.#groups.get(due);
    if (known) return known;
    const group = await this.#auditor.groupOf({ workspace, records: [record] });
    if (this.#groups.size >= MOST_REMEMBERED) this.forget();
    this.#groups.set(due, group);
    return group;
  }

  /** A percentage is judged by those of the newest jobs of its product: one of them by the others, older ones by all of them. */
  async #ofProduct(group: RecordGroup): Promise<string[]> {
    const { workspace, records } = group;
    const lists = await Promise.all(records.map((product) => this.#newestOf(workspace, product)));
    const history = historyAmong(lists, { jobs: JOBS_OF_HISTORY, lookedAt: MAX_JOBS_OF_PRODUCT });
    if (!this.#isNew(keyOf('product', group), basisOfHistory(history))) return [];
    const counted = history.counted.map(({ _id, percentages = [] }) => ({ job: _id, percentages }));
    const wrong = misjudged(counted);
    if (!history.isMore) return wrong;
    const isCounted = new Set(counted.map(({ job }) => job));
    const older = await this.#kept.misjudged(group, usualRanges(counted));
    return [...wrong, ...older.filter((id) => !isCounted.has(id))];
  }

  /** As many of the newest jobs of a product as its history is among: most often, all of them have percentages. */
  async #newestOf(workspace: string, product: string): Promise<readonly HistoryShare[]> {
    const few = await this.#kept.newestOf(workspace, product, JOBS_OF_HISTORY + 1);
    const isEnough = few.length <= JOBS_OF_HISTORY || few.every(({ percentages }) => percentages);
    return isEnough ? few : this.#kept.newestOf(workspace, product, MAX_JOBS_OF_PRODUCT + 1);
  }

  /** A job is judged by the newest voyages of its vessel, without its own. */
  async #ofVessel(group: RecordGroup): Promise<readonly string[]> {
    const lists = await this.#documents.newestVoyagesOf(group, MAX_JOBS_OF_RECORD);
    const shares = await this.#kept.sharesOf([...new Set(lists.flat())]);
    const key = keyOf('vessel', group);
    const earlier = shares.filter(isOfEarlierVersion);
    if (earlier.length > 0) {
      this.#bases.delete(key);
      return distinctIds([...earlier, ...(await this.#kept.comparedWith(group))]);
    }
    const grades = gradesOf(shares);
    const room = MAX_JOBS_OF_RECORD - Math.max(...lists.map(({ length }) => length));
    const isNew = this.#isNew(key, basisOfFactor(grades, room));
    return isNew ? misjudgedVoyages(await this.#kept.comparedWith(group), grades) : [];
  }

  /** Whether verdicts are based on something else than the last time, which is remembered. */
  #isNew(key: string, basis: Basis): boolean {
    const before = this.#bases.get(key);
    if (this.#bases.size >= MOST_REMEMBERED) this.#bases.clear();
    this.#bases.set(key, { ...basis });
    return before?.text !== basis.text;
  }
}

const distinctIds = (audits: readonly { readonly _id: string }[]) => [...new Set(audits.map(({ _id }) => _id))];
const keyOf = (what: string | undefined, { workspace, records }: RecordGroup): string =>
  [what, workspace, ...[...records].sort()].join(' ');
