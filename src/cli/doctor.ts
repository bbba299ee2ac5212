import { readFileSync } from 'node:fs';
import type { Db } from 'mongodb';
import { type Config, readConfig } from '../config.ts';
import { findMongod } from '../embedded-mongod/binary.ts';
import { holderOf } from '../embedded-mongod/lock.ts';
import { secretFile } from '../embedded-mongod/secret.ts';
import { lastAddress, lastUri, projectCacheDir } from '../embedded-mongod/server.ts';
import { isBuilt, PROGRAM } from '../model/command-line.ts';
import { refusedUser } from '../store/connection/connecting.ts';
import { FORM } from '../store/migrations/list.ts';
import { StoredForm } from '../store/migrations/stored-form.ts';
import { VERSION } from '../version.ts';
import { SecretBox } from '../webhooks/secret-box.ts';
import { refuseAllBut } from './arguments/words.ts';
import { onLongConnection } from './database.ts';
import { lookAtSet } from './deployment/database-set.ts';
import { lookAtRights } from './deployment/user-rights.ts';
import { lookAtSecrets } from './deployment/webhook-secrets.ts';
import { runVerification } from './verify.ts';

export const USAGE = `${PROGRAM} doctor [--verify [--json]]`;

/** Prints what the service finds on this machine, or with --verify the inconsistencies of the database; 1 if anything is wrong. */
export async function run(args: readonly string[]): Promise<number> {
  const isVerifying = args.includes('--verify');
  refuseAllBut(isVerifying ? ['--verify', '--json'] : [], args);
  return isVerifying ? runVerification(args.includes('--json')) : runDoctor();
}

async function runDoctor(): Promise<number> {
  const lines: ReadonlyArray<readonly [string, (config: Config) => Promise<string> | string]> = [
    ['version', () => VERSION],
    ['Node', () => `${process.versions.node} (${process.execPath})`],
    ['npm packages', packages],
    ['mongod', mongod],
    ['gateway', gateway],
    ['MongoDB', database],
  ];
  const config = readConfig(process.env);
  let troubles = 0;
  for (const [name, look] of lines) {
    const found = await Promise.try(look, config).catch(troubleOf);
    if (/^TROUBLE: /m.test(found)) troubles += 1;
    console.log(`${name.padEnd(14)}${found.replaceAll('\n', `\n${' '.repeat(14)}`)}`);
  }
  return troubles === 0 ? 0 : 1;
}

const troubleOf = ({ message }: Error): string => `TROUBLE: ${message}`;

function packages(): string {
  if (isBuilt) return 'installed with the compiled package';
  const installed = new URL('../../node_modules/.package-lock.json', import.meta.url);
  const count = Object.keys((JSON.parse(readFileSync(installed, 'utf8')) as { packages: object }).packages).length;
  return `${count} installed`;
}

async function mongod({ mongodbUri, mongodBinary }: Config): Promise<string> {
  if (mongodbUri !== undefined) return 'not needed: MONGODB_URI is set';
  const notes: string[] = [];
  const search = {
    cacheDir: projectCacheDir,
    env: { ...process.env, MONGOD_BINARY: mongodBinary },
    log: (line: string) => notes.push(line),
  };
  const found = await findMongod(search, { offline: true }).catch((error: Error) => error);
  if (!(found instanceof Error)) return [`${found.version} from ${found.source} (${found.path})`, ...notes].join('\n');
  return 'none yet: the first start fetches one';
}

function gateway({ dataDir }: Config): string {
  const holder = holderOf(dataDir);
  if (holder === undefined) return `none runs on ${dataDir}`;
  const { pid, since, address = 'not listening yet', stopping } = holder;
  return `${address} (process ${pid}, since ${since}, on ${dataDir})${stopping ? `, stopping since ${stopping}` : ''}`;
}

async function database({ mongodbUri, mongodbDatabase, dataDir, webhooks }: Config): Promise<string> {
  const embedded = holderOf(dataDir) && lastUri(dataDir);
  const uri = mongodbUri ?? embedded;
  if (uri === undefined) return 'not running: it starts and stops with the gateway';
  return onLongConnection({ uri, database: mongodbDatabase }, async (db) => {
    const { client } = db;
    const admin = client.db('admin');
    const [{ version }, hello] = await Promise.all([admin.command({ buildInfo: 1 }), admin.command({ hello: 1 })]);
    const form = await formOf(db).catch((error) => troubleOf(refusedUser(error, client, mongodbDatabase) as Error));
    const kind = `${version}, ${kindOf(hello)}`;
    const secrets = await lookAtSecrets(db, new SecretBox(webhooks.secretKeys));
    const place = `embedded (${lastAddress(dataDir)}, password in ${secretFile(dataDir)})`;
    if (mongodbUri === undefined) return [`${kind}, ${place}`, form, ...secrets].join('\n');
    const [set, rights] = [await lookAtSet(client), await lookAtRights(db)];
    return [`${kind}, from MONGODB_URI`, ...set, form, ...rights, ...secrets].join('\n');
  });
}

async function formOf(db: Db): Promise<string> {
  const number = await new StoredForm(db).find();
  if (number === undefined) return `database "${db.databaseName}": empty`;
  const older = number < FORM ? ', which the next start migrates it to' : '';
  return `database "${db.databaseName}": stored form ${number} (this version: ${FORM}${older})`;
}

function kindOf(hello: { setName?: string; hosts?: string[] }): string {
  if (hello.setName === undefined) return 'sharded cluster';
  return `replica set "${hello.setName}" of ${hello.hosts?.length ?? 1}`;
}
