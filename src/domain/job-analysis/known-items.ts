import type { Entity } from '../../model/entity/entity.ts';
import { knownUnitOf, type UnitOfMeasure } from '../analysis/units.ts';
import { spellingsOf } from '../catalogs/record-spellings.ts';
import type { Loaders } from '../loaders.ts';

/** What the catalog says about the items that reports name: learned for many reports at once, then known for each. */
export class KnownItems {
  readonly #load: Loaders;
  readonly #groups = new Map<string, string>();
  readonly #groupsAsked = new Map<string, Promise<void>>();
  readonly #units = new Map<string, UnitOfMeasure>();
  readonly #unitsAsked = new Map<string, Promise<void>>();

  constructor(load: Loaders) {
    this.#load = load;
  }

  /** Learns which records describe the same item as those that a member of the reports names. */
  async learnGroups(reports: readonly Entity[], member: string): Promise<void> {
    const ids = reports.map((report) => report.at(member));
    await this.learnGroupsOf(ids, reports[0]?.workspaceId ?? null);
  }

  /** The same for records that are named anywhere in a workspace. */
  async learnGroupsOf(ids: readonly unknown[], workspaceId: string | null): Promise<void> {
    await learn(this.#groupsAsked, ids, async (id) => {
      const [first = id] = await this.#load.synonymIds({ id, workspaceId });
      this.#groups.set(id, first);
    });
  }

  /** One key for all records that describe the same item as this one. */
  groupOf(id: unknown): string | undefined {
    return typeof id === 'string' ? this.#groups.get(id) : undefined;
  }

  /** Learns what units are called; where nobody knows such a unit, also what its synonyms are called. */
  learnUnits(ids: readonly unknown[]): Promise<void> {
    return learn(this.#unitsAsked, ids, async (id) => {
      const record = await this.#load.catalogRecord(id);
      if (!record) return;
      const unit = { id, spellings: spellingsOf(record) };
      const isKnown = knownUnitOf(unit) !== undefined;
      const synonyms = isKnown ? [] : await this.#load.synonymGroup(record);
      this.#units.set(id, isKnown ? unit : { id, spellings: [...unit.spellings, ...synonyms.flatMap(spellingsOf)] });
    });
  }

  unitOf(id: unknown): UnitOfMeasure | undefined {
    return typeof id === 'string' ? this.#units.get(id) : undefined;
  }
}

/** Looks up each id once, across all callers. */
async function learn(
  known: Map<string, Promise<void>>,
  ids: readonly unknown[],
  look: (id: string) => Promise<void>,
): Promise<void> {
  const wanted = new Set(ids.filter((id) => typeof id === 'string'));
  await Promise.all(
    [...wanted].map((id) => {
      const asked = known.get(id) ?? look(id);
      known.set(id, asked);
      return asked;
    }),
  );
}
