import type { Entity } from '../../model/entity/entity.ts';
import { knownUnitOf, type UnitOfMeasure } from '../analysis/units.ts';
import { spellingsOf } from '../catalogs/record-spellings.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { Learned } from './learned.ts';

/** What the catalog says about the items that reports name: learned for many reports at once, then known for each. */
export class KnownItems {
  readonly #load: Loaders;
  readonly #groups = new Map<string, string>();
  /** By workspace. */
  readonly #groupsAsked = new Map<string | null, Learned>();
  readonly #units = new Map<string, UnitOfMeasure>();
  readonly #unitsAsked: Learned;

  constructor(load: Loaders) {
    this.#load = load;
    this.#unitsAsked = new Learned((ids) => this.#lookUpUnits(ids));
  }

  /** Learns which records describe the same item as those that a member of the reports names; undefined where all are known. */
  learnGroups(reports: readonly Entity[], member: string): Promise<unknown> | undefined {
    const ids = reports.map((report) => report.at(member));
    return this.learnGroupsOf(ids, reports[0]?.workspaceId ?? null);
  }

  /** The same for records that are named anywhere in a workspace. */
  learnGroupsOf(ids: readonly unknown[], workspaceId: string | null): Promise<unknown> | undefined {
    let asked = this.#groupsAsked.get(workspaceId);
    if (!asked) {
      asked = new Learned((wanted) => Promise.all(wanted.map((id) => this.#lookUpGroup(id, workspaceId))));
      this.#groupsAsked.set(workspaceId, asked);
    }
    return asked.learn(ids);
  }

  /** One key for all records that describe the same item as this one. */
  groupOf(id: unknown): string | undefined {
    return typeof id === 'string' ? this.#groups.get(id) : undefined;
  }

  /** Learns what units are called; where nobody knows such a unit, also what its synonyms are called. Undefined where all are known. */
  learnUnits(ids: Iterable<unknown>): Promise<unknown> | undefined {
    return this.#unitsAsked.learn(ids);
  }

  unitOf(id: unknown): UnitOfMeasure | undefined {
    return typeof id === 'string' ? this.#units.get(id) : undefined;
  }

  async #lookUpGroup(id: string, workspaceId: string | null): Promise<void> {
    const [first = id] = await this.#load.synonymIds({ id, workspaceId });
    this.#groups.set(id, first);
  }

  async #lookUpUnits(ids: readonly string[]): Promise<void> {
    await this.#load.readRecords(new Set(ids));
    await Promise.all(ids.map((id) => this.#lookUpUnit(id)));
  }

  async #lookUpUnit(id: string): Promise<void> {
    const record = await this.#load.catalogRecord(id);
    if (!record) return;
    const unit = { id, spellings: spellingsOf(record) };
    const isKnown = knownUnitOf(unit) !== undefined;
    const synonyms = isKnown ? [] : await this.#load.synonymGroup(record);
    this.#units.set(id, isKnown ? unit : { id, spellings: [...unit.spellings, ...synonyms.flatMap(spellingsOf)] });
  }
}
