import {
  MongoAPIError,
  MongoClient,
  type MongoClientOptions,
  MongoParseError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';
import { withoutValues } from '../without-values.ts';
import { letSessionsPass } from './driver/sessions.ts';
import { hasCode } from './error-codes.ts';

const ENCODING = 'In a user name or password, characters such as @ : / % must be percent-encoded, as %40 for @.';

const UNJOURNALED =
  'MONGODB_URI cannot be used: with journal=false, MongoDB confirms writes that it loses if its members fail together. Leave that option out.';

/** A client that is not connected yet; throws a one-line error if the connection string is unusable, or would have writes lost. */
export function clientOf(uri: string, options: MongoClientOptions): MongoClient {
  const client = parsed(uri, options);
  if (client.options.writeConcern?.journal === false) throw new Error(UNJOURNALED);
  letSessionsPass(client);
  return client;
}

function parsed(uri: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(uri, options);
  } catch (error) {
    const said = saidOfOptions(error);
    if (said !== undefined) throw new Error(`MONGODB_URI cannot be used: ${said}.`, { cause: error });
    throw new Error(`MONGODB_URI cannot be used: it names no host that can be read. ${ENCODING}`); // the cause has the password
  }
}

/** The driver's message about the options of a connection string; messages about other parts may quote the password. */
function saidOfOptions(error: unknown): string | undefined {
  const isOfOptions = error instanceof MongoParseError || error instanceof MongoAPIError;
  return isOfOptions && !error.message.includes('@') ? error.message : undefined;
}

/** Connects, or throws a one-line error if the server is unreachable or has no transactions. */
export async function connect(client: MongoClient): Promise<void> {
  try {
    await client.connect();
    const { setName, msg } = await client.db('admin').command({ hello: 1 });
    if (setName !== undefined || msg === 'isdbgrid') return;
  } catch (error) {
    await client.close();
    throw new Error(`MongoDB at ${placeOf(client)} cannot be used: ${reasonOf(error as Error)}`, { cause: error });
  }
  await client.close();
  throw new Error(
    `MongoDB at ${placeOf(client)} is a single server without transactions: a replica set (one member is enough) or a sharded cluster is needed.`,
  );
}

/** The error of the first command, saying what to do if the user of the connection string lacks permission. */
export function refusedUser(error: unknown, client: MongoClient, database: string): unknown {
  if (!(error instanceof MongoServerError) || !hasCode(error, 'Unauthorized')) return error;
  const needed = `MONGODB_URI must name a user with the roles readWrite and dbAdmin on the database ${database}`;
  return new Error(`MongoDB at ${placeOf(client)} refuses the service: ${withoutValues(error.message)}. ${needed}.`, {
    cause: error,
  });
}

/** The hosts a client connects to, without user and password. */
export const placeOf = ({ options: { srvHost, hosts } }: MongoClient): string => srvHost ?? hosts.join(', ');

function reasonOf(error: Error): string {
  const { message } = error;
  const set = wrongSet(error);
  if (set !== undefined) {
    return `none of these servers is a member of a replica set named "${set}". Check replicaSet in MONGODB_URI.`;
  }
  if (!(error instanceof MongoServerError) || !hasCode(error, 'AuthenticationFailed')) return message;
  return `${message} Check the user, the password and authSource in MONGODB_URI.`;
}

/** The requested replica set, if every server belongs to none or to another: the driver then silently drops them. */
function wrongSet(error: Error): string | undefined {
  if (!(error instanceof MongoServerSelectionError)) return undefined;
  const { setName, servers } = error.reason ?? {};
  return servers?.size === 0 ? (setName ?? undefined) : undefined;
}
