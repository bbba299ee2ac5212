import { DEMO_USER } from '../../src/demo/principals.ts';
import { runDataApiScenario } from './scenario-data-api.ts';
import type { Send } from './scenario-fixture.ts';
import { runLegacyScenario } from './scenario-legacy.ts';
import { runReferenceScenario } from './scenario-reference.ts';
import { runV2Scenario } from './scenario-v2.ts';

/** Two organizations and their shared workspace. */
export interface Partners {
  readonly client: string;
  readonly vendor: string;
  readonly workspace: string;
}

/** Sends at least one request to every endpoint: an inspection of a discharge in Rotterdam, family by family. */
export async function runScenario(send: Send): Promise<void> {
  await send('bridge.health.get');
  const partners = await meet(send);
  await runV2Scenario(send, partners);
  await runLegacyScenario(send, partners);
  await runDataApiScenario(send);
  await signInAndOut(send);
  await runReferenceScenario(send);
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
