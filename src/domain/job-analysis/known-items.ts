import type { Entity } from '../../model/entity/entity.ts';
import { scaleNamed, tableNamed } from '../analysis/figure-audit/report-spellings.ts';
import { knownUnitOf, type UnitOfMeasure } from '../analysis/units.ts';
import { spellingsOf } from '../catalogs/record-spellings.ts';
import type { Loaders } from '../loaders/loaders.ts';
import { JoinedLookup } from './joined-lookup.ts';

/** What the catalog says about the items that reports name: looked up for many reports at once, then known for each. */
export class KnownItems {
  readonly #load: Loaders;
  readonly #groups = new Map<string, string>();
  /** By workspace. */
  readonly #groupsAsked = new Map<string | null, JoinedLookup>();
  readonly #spelled = new Map<string, UnitOfMeasure>();
  readonly #spelledAsked: JoinedLookup;

  constructor(load: Loaders) {
    this.#load = load;
    this.#spelledAsked = new JoinedLookup((ids) => this.#lookUpSpelled(ids));
  }

  /** Looks up which records describe the same item as those named by a member of the reports; undefined if all are known. */
  learnGroups(reports: readonly Entity[], member: string): Promise<unknown> | undefined {
    const ids = reports.map((report) => report.at(member));
    return this.learnGroupsOf(ids, reports[0]?.workspaceId ?? null);
  }

  /** The same for records named anywhere in a workspace. */
  learnGroupsOf(ids: readonly unknown[], workspaceId: string | null): Promise<unknown> | undefined {
    let asked = this.#groupsAsked.get(workspaceId);
    if (!asked) {
      asked = new JoinedLookup((wanted) => Promise.all(wanted.map((id) => this.#lookUpGroup(id, workspaceId))));
      this.#groupsAsked.set(workspaceId, asked);
    }
    return asked.learn(ids);
  }

  /** One key for all records that describe the same item as this one. */
  groupOf(id: unknown): string | undefined {
    return typeof id === 'string' ? this.#groups.get(id) : undefined;
  }

  /** Looks up the names of units and correction tables and, for those not understood, of their synonyms. Undefined if all are known. */
  learnSpelled(ids: Iterable<unknown>): Promise<unknown> | undefined {
    return this.#spelledAsked.learn(ids);
  }

  /** A unit or correction table with its names. */
  spelled(id: unknown): UnitOfMeasure | undefined {
    return typeof id === 'string' ? this.#spelled.get(id) : undefined;
  }

  async #lookUpGroup(id: string, workspaceId: string | null): Promise<void> {
    const [first = id] = await this.#load.synonymIds({ id, workspaceId });
    this.#groups.set(id, first);
  }

  async #lookUpSpelled(ids: readonly string[]): Promise<void> {
    await this.#load.readRecords(new Set(ids));
    await Promise.all(ids.map((id) => this.#lookUpOne(id)));
  }

  async #lookUpOne(id: string): Promise<void> {
    const record = await this.#load.catalogRecord(id);
    if (!record) return;
    const own = { id, spellings: spellingsOf(record) };
    const isKnown = isUnderstood(own);
    const synonyms = isKnown ? [] : await this.#load.synonymGroup(record);
    this.#spelled.set(id, isKnown ? own : { id, spellings: [...own.spellings, ...synonyms.flatMap(spellingsOf)] });
  }
}

/** Whether calculations know one of its names, as a unit of quantity or temperature or a correction table. */
const isUnderstood = (one: UnitOfMeasure): boolean =>
  [knownUnitOf(one), scaleNamed(one.spellings), tableNamed(one.spellings)].some((known) => known !== undefined);
