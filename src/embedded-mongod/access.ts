import { MongoClient, MongoServerError } from 'mongodb';

const USER = 'exchange';
const AUTHENTICATION_FAILED = 18;

/** The address of the embedded database, with its password unless omitted. */
export function addressOf(port: number, replSet: string, secret?: string): string {
  const user = secret === undefined ? USER : `${USER}:${secret}`;
  return `mongodb://${user}@127.0.0.1:${port}/?replicaSet=${replSet}&authSource=admin`;
}

/** The address for setting up the database: the key file grants full access, even before there are users. */
export const setupAddressOf = (host: string, secret: string): string =>
  `mongodb://__system:${secret}@${host}/?directConnection=true&authSource=local`;

/** Ensures that our user exists with this password, even in files with no user or another password. */
export async function ensureUser(setup: MongoClient, host: string, secret: string): Promise<void> {
  if (await canLogIn(host, secret)) return;
  const admin = setup.db('admin');
  const { users } = await admin.command({ usersInfo: USER });
  const command = users.length > 0 ? 'updateUser' : 'createUser';
  await admin.command({ [command]: USER, pwd: secret, roles: ['root'], writeConcern: { w: 'majority' } });
}

async function canLogIn(host: string, secret: string): Promise<boolean> {
  const client = new MongoClient(`mongodb://${USER}:${secret}@${host}/?directConnection=true&authSource=admin`);
  try {
    await client.connect();
    return true;
  } catch (error) {
    if (error instanceof MongoServerError && error.code === AUTHENTICATION_FAILED) return false;
    throw error;
  } finally {
    await client.close();
  }
}
