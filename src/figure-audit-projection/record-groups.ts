import type { RecordGroup } from '../store/figure-audits/kept-audits.ts';
import type { Auditor } from './auditor.ts';

/** Of how many records is remembered which they are one item with. */
const MOST_REMEMBERED = 5_000;

/** The records that are one product or vessel by their synonyms. A group is remembered for each record that is in it. */
export class RecordGroups {
  readonly #auditor: Auditor;
  readonly #known = new Map<string, RecordGroup>();

  constructor(auditor: Auditor) {
    this.#auditor = auditor;
  }

  /** Links between records changed. */
  forget(): void {
    this.#known.clear();
  }

  /** The group of a record, if it is remembered. */
  known(workspace: string, record: string): RecordGroup | undefined {
    return this.#known.get(`${workspace} ${record}`);
  }

  async of(workspace: string, record: string): Promise<RecordGroup> {
    const known = this.known(workspace, record);
    if (known) return known;
    const group = await this.#auditor.groupOf({ workspace, records: [record] });
    if (this.#known.size >= MOST_REMEMBERED) this.forget();
    for (const one of group.records) this.#known.set(`${workspace} ${one}`, group);
    return group;
  }
}
