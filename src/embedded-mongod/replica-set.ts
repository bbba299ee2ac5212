import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, MongoClient } from 'mongodb';
import { ensureUser, setupAddressOf } from './access.ts';

const timeoutMs = 90_000; // for up to 30 s, mongod probes its former port to see whether that is still itself

interface Configuration extends Document {
  readonly version: number;
  readonly members: readonly { readonly host: string }[];
}

/** The mongod to set up: where it listens, the secret of its key file, and a signal that it has ended. */
interface Setup {
  readonly host: string;
  readonly replSet: string;
  readonly secret: string;
  readonly ended: AbortSignal;
}

/**
 * Makes this mongod the primary of a single-member replica set that has our user, and waits until it is: initiates a new
 * set, and reconfigures one whose files have another port.
 */
export async function becomePrimary({ host, replSet, secret, ended }: Setup): Promise<void> {
  const client = new MongoClient(setupAddressOf(host, secret), { serverSelectionTimeoutMS: timeoutMs });
  const close = () => void client.close();
  ended.addEventListener('abort', close);
  try {
    for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await sleep(10)) {
      const { isWritablePrimary } = await client.db('admin').command({ hello: 1 });
      if (isWritablePrimary === true) return await ensureUser(client, host, secret);
      await configure(client, host, replSet);
    }
    throw new Error(
      `The mongod at ${host} did not become the primary of its replica set within ${timeoutMs / 1000} s.`,
    );
  } finally {
    ended.removeEventListener('abort', close);
    await client.close();
  }
}

/** Reads the configuration from its collection, because mongod does not distinguish missing from not yet loaded. */
async function configure(client: MongoClient, host: string, replSet: string): Promise<void> {
  const stored = await client.db('local').collection<Configuration>('system.replset').findOne({});
  if (stored?.members[0]?.host === host) return;
  const members = [{ _id: 0, host }];
  const command = stored
    ? { replSetReconfig: { ...stored, version: stored.version + 1, members }, force: true }
    : { replSetInitiate: { _id: replSet, members } };
  await client.db('admin').command(command).catch(ignoreWhileStarting);
}

function ignoreWhileStarting(error: { readonly codeName?: string; readonly message: string }): void {
  const transient = ['NotYetInitialized', 'AlreadyInitialized', 'ConfigurationInProgress'];
  if (!transient.includes(error.codeName ?? '')) throw error;
}
