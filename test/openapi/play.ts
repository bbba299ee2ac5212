import { DEMO_USER } from '../../src/demo/principals.ts';
import { playDataApi } from './play-data-api.ts';
import { playLegacy } from './play-legacy.ts';
import { playReference } from './play-reference.ts';
import { playV2 } from './play-v2.ts';
import type { Send } from './stage.ts';

/** Two organizations and the workspace that they share. */
export interface Partners {
  readonly client: string;
  readonly vendor: string;
  readonly workspace: string;
}

/** Sends at least one request to every endpoint: an inspection of a discharge in Rotterdam, told family by family. */
export async function play(send: Send): Promise<void> {
  await send('bridge.health.get');
  const partners = await meet(send);
  await playV2(send, partners);
  await playLegacy(send, partners);
  await playDataApi(send);
  await signInAndOut(send);
  await playReference(send);
}

async function signInAndOut(send: Send): Promise<void> {
  await send('reference.session.create', { body: { username: DEMO_USER.username, password: DEMO_USER.password } });
  await send('reference.session.get', { as: 'session' });
  await send('reference.session.delete', { as: 'session' });
}

async function meet(send: Send): Promise<Partners> {
  const client = await send('v2.organizations.create', { body: { name: 'Kestrel Oil', category: 'shipper' } });
  const vendor = await send('v2.organizations.create', {
    as: 'vendor',
    body: { name: 'Harbour Surveys', category: 'inspector' },
  });
  const parties = { client: { id: client.id, xref: 'KESTREL' }, vendor: { id: vendor.id, xref: 'HS-ROTTERDAM' } };
  const workspace = await send('v2.workspaces.create', { body: { description: 'North Sea', parties } });
  return { client: client.id, vendor: vendor.id, workspace: workspace.id };
}
