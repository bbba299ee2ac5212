import type { Entity } from '../../model/entity/entity.ts';

/** The most characters of names and xrefs that the bodies of one page show, however often they name the same record. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

/** The catalog records shown by the bodies of one page, while there is room for their names and xrefs. */
export class ShownRecords {
  readonly #records: ReadonlyMap<string, Entity>;
  #left: number;

  constructor(records: Iterable<Entity | undefined>, tenant: string, most = MOST_CHARACTERS) {
    const visible = [...records].filter((record) => record?.readers.includes(tenant));
    this.#records = new Map(visible.flatMap((record) => (record ? [[record.id, record] as const] : [])));
    this.#left = most;
  }

  /** The record to show for a reference; undefined where only its id is shown. */
  get(id: string): Entity | undefined {
    const record = this.#records.get(id);
    if (!record) return undefined;
    this.#left -= lengthOf(record.at('name')) + lengthOf(record.at('xref'));
    return this.#left < 0 ? undefined : record;
  }
}

const lengthOf = (text: unknown): number => (typeof text === 'string' ? text.length : 0);
