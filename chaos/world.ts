import { randomUUID } from 'node:crypto';
import type { Random } from '../src/demo/random.ts';
import type { Client } from './client.ts';

/** A job that was acknowledged and belongs to one writer at a time. */
export interface Job {
  readonly id: string;
  readonly workspace: string;
}

/** What the writers of a run share. */
export interface World {
  readonly client: Client;
  readonly random: Random;
  readonly workspaces: readonly string[];
  readonly organizations: { readonly client: string; readonly vendor: string };
  /** The parties as the first workspace knows them, by which the Data API finds it. */
  readonly xrefs: { readonly client: string; readonly vendor: string };
  /** Jobs that nobody deletes, for results, files and changes. */
  readonly jobs: Job[];
  /** A text that stands nowhere else. */
  mark(noun: string): string;
}

/** Two organizations and some workspaces between them, made before the first fault. */
export async function makeWorld(client: Client, random: Random): Promise<World> {
  const run = randomUUID().slice(0, 8);
  let marks = 0;
  const mark = (noun: string): string => {
    marks += 1;
    return `${noun}-${run}-${marks}`;
  };
  const parties = {
    client: { id: (await client.ask('POST', '/v2/organizations', { body: { name: mark('owner') } })).id },
    vendor: {
      id: (await client.ask('POST', '/v2/organizations', { as: 'vendor', body: { name: mark('vendor') } })).id,
    },
  };
  const xrefs = { client: mark('C'), vendor: mark('V') };
  const workspaces: string[] = [];
  for (const description of [mark('North Sea'), mark('Baltic'), mark('Gulf')]) {
    const known = {
      client: { ...parties.client, xref: xrefs.client },
      vendor: { ...parties.vendor, xref: xrefs.vendor },
    };
    const body = { description, parties: workspaces.length === 0 ? known : parties };
    workspaces.push((await client.ask('POST', '/workspaces', { body })).id);
  }
  const organizations = { client: parties.client.id, vendor: parties.vendor.id };
  return { client, random, workspaces, organizations, xrefs, jobs: [], mark };
}
