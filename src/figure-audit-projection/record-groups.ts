import type { RecordGroup } from '../store/figure-audits/kept-audits.ts';
import type { Auditor } from './auditor.ts';

/** For how many records their group is remembered. */
const MOST_REMEMBERED = 5_000;

/** The records that are one product or vessel by their synonyms. A group is remembered for each of its records. */
export class RecordGroups {
  readonly #auditor: Auditor;
  readonly #known = new Map<string, RecordGroup>();

  constructor(auditor: Auditor) {
    this.#auditor = auditor;
  }

  /** To be called when links between records change. */
  forget(): void {
    this.#known.clear();
  }

  /** The group of a record, if remembered. */
  known(workspace: string, record: string): RecordGroup | undefined {
    return this.#known.get(`${workspace} ${record}`);
  }

  async of(workspace: string, record: string): Promise<RecordGroup> {
    const known = this.known(workspace, record);
    if (known) return known;
    const group = await this.#auditor.groupOf({ workspace, records: [record] });
    this.#remember(workspace, group);
    return group;
  }

  /** The group of each record, read together. */
  async ofEach(whole: RecordGroup): Promise<RecordGroup[]> {
    const groups = await this.#auditor.groupsOf(whole);
    for (const group of groups) this.#remember(whole.workspace, group);
    return groups;
  }

  #remember(workspace: string, group: RecordGroup): void {
    if (this.#known.size >= MOST_REMEMBERED) this.forget();
    for (const one of group.records) this.#known.set(`${workspace} ${one}`, group);
  }
}
