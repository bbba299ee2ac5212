import { v7 as newId } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { groupsIn } from '../../../src/domain/catalogs/synonym-groups.ts';
import type { Entity } from '../../../src/model/entity/entity.ts';
import { COMMANDS, type CommandTime, measureCommands } from '../../../src/store/connection/command-times.ts';
import { serviceFixture, workspaceFixture } from '../../service.ts';
import { chained, newIds, putLinks } from './stored-links.ts';

const service = serviceFixture();
const workspace = workspaceFixture(service);
const as = 'vendor';
/** The distance between the ends of a chain. */
const LONG = 300;

let catalog: string;
beforeAll(() => {
  catalog = `/v2/workspaces/${workspace.id}/xrefs/products`;
});

const record = async (name: string): Promise<string> =>
  (await service.ask('POST', catalog, { as, body: { name } })).body.id;
const link = (a: string, b: string) => service.ask('POST', `${catalog}/${a}/synonyms/${b}`, { as });

/** The synonyms of a record by GraphQL, and how many commands read links for them. */
async function groupOf(id: string): Promise<{ names: string[]; commands: number }> {
  let commands = 0;
  const note = (command: unknown): void => {
    const { collection, database } = command as CommandTime;
    if (database === service.stores.db.databaseName && collection === 'synonyms') commands++;
  };
  measureCommands();
  COMMANDS.subscribe(note);
  try {
    const place = { w: workspace.id, id };
    const query =
      'query G($w: UUID!, $id: UUID!) { catalogRecord(workspace: $w, catalog: "products", id: $id) { synonymGroup { name } } }';
    const { body } = await service.graphql(query, place);
    return { names: body.data.catalogRecord.synonymGroup.map(({ name }: { name: string }) => name).sort(), commands };
  } finally {
    COMMANDS.unsubscribe(note);
  }
}

describe('a chain of synonyms', () => {
  it('is read with a few commands, however long it is', async () => {
    const [first, last, other] = [await record('first'), await record('last'), await record('other')];
    const beside = (await link(other, await record('beside'))).body;
    await putLinks(service, beside.id, chained([first, ...newIds(LONG), last]));
    const { names, commands } = await groupOf(first);
    expect(names).toEqual(['first', 'last']);
    expect(commands).toBeLessThan(12);
    expect((await groupOf(other)).names).toEqual(['beside', 'other']);
  });

  it('is followed step by step when its workspace has too many links to read', async () => {
    const ids = newIds(50);
    const linked = chained(ids).map(([baseItem, linkedItem]) => ({
      ...{ id: newId(), createdAt: new Date() },
      at: (name: string) => (name === 'baseItem' ? baseItem : linkedItem),
    })) as unknown as Entity[];
    const of = async (records: readonly string[]) =>
      linked.filter((one) => records.some((id) => [one.at('baseItem'), one.at('linkedItem')].includes(id)));
    const [group] = await groupsIn(ids.slice(0, 1), { of, pairsAround: async () => undefined });
    expect(group?.ids).toEqual([...ids].sort());
  });

  it('reading all links of a workspace yields undefined above the limit', async () => {
    const made = (await link(await record('one'), await record('another'))).body;
    await putLinks(service, made.id, chained(newIds(3)));
    const { synonyms } = service.stores;
    const count = await synonyms.countWhere({ workspace: workspace.id });
    expect(await synonyms.pairs([workspace.id], count)).toHaveLength(count);
    expect(await synonyms.pairs([workspace.id], count - 1)).toBeUndefined();
  });
});
