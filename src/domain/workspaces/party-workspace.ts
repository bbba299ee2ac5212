import { nameKey } from '../../model/catalogs.ts';
import type { Entity } from '../../model/entity/entity.ts';
import { isObject, type Json } from '../../model/json.ts';
import type { Match } from '../../store/entities/match.ts';
import type { Stores } from '../../store/stores.ts';
import type { RequestContext } from '../request/request-context.ts';

/** A party as a job names it. */
interface NamedParty {
  readonly xref: string | undefined;
  readonly nameKey: string | undefined;
}

type Side = 'client' | 'vendor';
const SIDES: readonly Side[] = ['client', 'vendor'];

/** The parties that a job names. */
type JobParties = Readonly<Record<Side, Json | undefined>>;

/**
 * The workspaces that the caller's tenant has accepted and whose parties match those a job names (contract §7, §11): each by its xref in
 * the workspace, otherwise by its organization's name. A workspace that only the other party opened does not count, because anyone who
 * knows or guesses an xref could attract the jobs.
 */
export async function workspacesOfParties(ctx: RequestContext, stores: Stores, parties: JobParties): Promise<Entity[]> {
  const client = namedParty(parties.client);
  const vendor = namedParty(parties.vendor);
  const named = { client, vendor };
  const names = [client.nameKey, vendor.nameKey].filter((name) => name !== undefined);
  const organizations = await stores.organizations.findMany({ name_key: names });
  const idOf = (party: NamedParty) => organizations.find((one) => one.stored('name_key') === party.nameKey)?.id;
  const ids = { client: idOf(client), vendor: idOf(vendor) };

  /** The ways in which a workspace may match the party, each supported by an index. */
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
  // A name counts only if no workspace has the xref.
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
