import type { Claim, Intent } from '../ledger.ts';
import type { World } from '../world.ts';

type Answer = Intent['answer'];

/** Two catalog records, linked as synonyms, and sometimes unlinked again. */
export async function linkRecords(world: World): Promise<void> {
  const { client, random } = world;
  const path = `/v2/workspaces/${random.pick(world.workspaces)}/xrefs/products`;
  const create = (as: 'client' | 'vendor'): Promise<Answer> => {
    const xref = world.mark('record');
    const claim: Claim = { noun: 'catalog record', xref };
    return client.perform({ kind: 'catalog record', claim, method: 'POST', path, as, body: { name: xref, xref } });
  };
  const [one, other] = [await create('client'), await create('vendor')];
  if (one?.status !== 201 || other?.status !== 201) return;
  const items = [one.body.id, other.body.id].sort() as [string, string];
  const pair = `${path}/${one.body.id}/synonyms/${other.body.id}`;
  const linked = await client.perform({
    kind: 'synonym',
    claim: { noun: 'synonym', items },
    method: 'POST',
    path: pair,
    body: {},
  });
  if (!linked || linked.status >= 300 || !random.chance(0.3)) return;
  const claim: Claim = { noun: 'synonym', items, unlinked: true };
  await client.perform({ kind: 'synonym, unlinked', claim, method: 'DELETE', path: pair });
}

/** A reference record, made and then replaced several times. */
export async function putReference(world: World): Promise<void> {
  const { client, random } = world;
  const code = world.mark('G').slice(2);
  const times = random.whole(1, 4);
  for (let i = 0; i < times; i++) {
    const mark = world.mark('Grade');
    const answer = await client.perform({
      kind: 'reference record',
      claim: { noun: 'reference record', code, mark },
      method: 'PUT',
      path: `/api/rest/1.0/grades/${code}`,
      body: {
        name: mark,
        gradeTypeCode: 'NDP_DIESEL_FUELS',
        description: mark,
        gradeStatusCode: 'ACTIVE',
        isSensitive: false,
      },
    });
    if (!answer) return;
  }
}
