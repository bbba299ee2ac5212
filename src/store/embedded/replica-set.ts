import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, MongoClient } from 'mongodb';

const timeoutMs = 30_000;

/**
 * Makes the mongod at `host` the primary of a replica set of one, and waits until it is: a new one is initiated, one
 * whose files remember another port is told the new one.
 */
export async function becomePrimary(host: string, replSet: string): Promise<void> {
  const client = new MongoClient(`mongodb://${host}/?directConnection=true`, { serverSelectionTimeoutMS: timeoutMs });
  try {
    const run = (command: Document): Promise<Document> => client.db('admin').command(command);
    for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(10)) {
      if ((await run({ hello: 1 })).isWritablePrimary === true) return;
      await configure(run, host, replSet);
    }
    throw new Error(
      `The mongod at ${host} did not become the primary of its replica set within ${timeoutMs / 1000} s.`,
    );
  } finally {
    await client.close();
  }
}

async function configure(run: (command: Document) => Promise<Document>, host: string, replSet: string): Promise<void> {
  const members = [{ _id: 0, host }];
  try {
    const { config } = await run({ replSetGetConfig: 1 });
    if (config.members[0].host === host) return;
    await run({ replSetReconfig: { ...config, version: config.version + 1, members }, force: true });
  } catch (error) {
    if ((error as { codeName?: string }).codeName !== 'NotYetInitialized') return; // busy: the next turn looks again
    await run({ replSetInitiate: { _id: replSet, members } }).catch(() => {});
  }
}
