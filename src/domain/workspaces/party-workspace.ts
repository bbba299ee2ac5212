import { nameKey } from '../../model/catalogs.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { Match } from '../../store/entities/match.ts';
import type { Stores } from '../../store/stores.ts';
import type { RequestContext } from '../request/request-context.ts';

/** How a job names one of its parties. */
interface NamedParty {
  readonly xref: string | undefined;
  readonly nameKey: string | undefined;
}

type Side = 'client' | 'vendor';
const SIDES: readonly Side[] = ['client', 'vendor'];

/** What a job says about its parties. */
export type JobParties = Readonly<Record<Side, Json | undefined>>;

/**
 * The workspaces that the caller's tenant has accepted and whose two parties are those that a job names (contract §7,
 * §11): each by the xref that it has in the workspace, else by the name of its organization. What another party opened
 * alone does not count, whatever it says: jobs would go to whoever knows or guesses an xref.
 */
export async function workspacesOfParties(ctx: RequestContext, stores: Stores, parties: JobParties): Promise<Entity[]> {
  const client = namedParty(parties.client);
  const vendor = namedParty(parties.vendor);
  const named = { client, vendor };
  const names = [client.nameKey, vendor.nameKey].filter((name) => name !== undefined);
  const organizations = await stores.organizations.findMany({ name_key: names });
  const idOf = (party: NamedParty) => organizations.find((one) => one.stored('name_key') === party.nameKey)?.id;
  const ids = { client: idOf(client), vendor: idOf(vendor) };

  /** The ways in which a workspace may have the party, each answered by an index. */
  const waysTo = (side: Side): Match[] => [
    ...(named[side].xref === undefined ? [] : [{ [`body.parties.${side}.xref`]: named[side].xref }]),
    ...(ids[side] === undefined ? [] : [{ [`body.parties.${side}.id`]: ids[side] }]),
  ];
  const toVendor = waysTo('vendor');
  const ways = waysTo('client').flatMap((way) =>
    toVendor.map((other) => ({ accepted_by: ctx.tenant, ...way, ...other })),
  );
  if (ways.length === 0) return [];
  const found = await stores.workspaces.findMany(ways);

  const hasXref = (workspace: Entity, side: Side) =>
    named[side].xref !== undefined && workspace.at('parties', side, 'xref') === named[side].xref;
  // A name counts only where no workspace has the xref.
  const byXref = SIDES.filter((side) => found.some((workspace) => hasXref(workspace, side)));
  return found.filter((workspace) => byXref.every((side) => hasXref(workspace, side)));
}

function namedParty(party: Json | undefined): NamedParty {
  const { xref, name } = isObject(party) ? party : {};
  return {
    xref: typeof xref === 'string' && xref.trim() !== '' ? xref : undefined,
    nameKey: typeof name === 'string' && name.trim() !== '' ? nameKey(name) : undefined,
  };
}
