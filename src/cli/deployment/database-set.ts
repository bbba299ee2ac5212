import type { Db, Document, MongoClient } from 'mongodb';

/** The first release of each series that fixes CVE-2025-14847, which lets strangers read memory through zlib compression. */
const ZLIB_FIXED = ['8.2.3', '8.0.17', '7.0.28', '6.0.27', '5.0.32', '4.4.30'] as const;
/** How long subscribers, and members that rejoin, may be away. */
const OPLOG_HOURS = 24;

/** What an operator should know about the replica set of MONGODB_URI, one fact a line; lines that begin with CHECK need attention. */
export async function lookAtSet(client: MongoClient): Promise<readonly string[]> {
  const admin = client.db('admin');
  const hello = await admin.command({ hello: 1 });
  const { version } = await admin.command({ buildInfo: 1 });
  const line = versionLine(version, await serverCompressors(admin));
  if (hello.msg === 'isdbgrid') return [line];
  const looks = [members(admin), oplog(client.db('local')), defaults(admin)];
  return [line, ...(await Promise.all(looks)).flat()];
}

/** Reports whether the server is exposed to a known vulnerability of its version. */
export function versionLine(version: string, compressors: readonly string[]): string {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  const fixed = ZLIB_FIXED.map((each) => each.split('.').map(Number)).find(([a, b]) => a === major && b === minor);
  const isOld = fixed === undefined ? major < 8 || (major === 8 && minor < 2) : patch < (fixed[2] ?? 0);
  const speaks = `network compressors: ${compressors.join(', ') || 'none'}`;
  if (!isOld) return `version ${version}; ${speaks}`;
  const remedy = `update it${fixed ? ` to ${fixed.join('.')} or later` : ''}`;
  if (!compressors.includes('zlib'))
    return `version ${version} has CVE-2025-14847, closed here because it speaks no zlib; ${remedy}; ${speaks}`;
  return `CHECK: version ${version} lets strangers who reach its port read its memory (CVE-2025-14847): ${remedy}, or take zlib out of net.compression.compressors; ${speaks}`;
}

/** A server names only compressors that the client offers. */
async function serverCompressors(admin: Db): Promise<readonly string[]> {
  const { compression = [] } = await admin.command({ hello: 1, compression: ['zstd', 'snappy', 'zlib'] });
  return compression as readonly string[];
}

async function members(admin: Db): Promise<readonly string[]> {
  const status = await allowed(() => admin.command({ replSetGetStatus: 1 }));
  if (status === undefined)
    return [
      'members: unknown, since the user may not run replSetGetStatus; the role clusterMonitor allows it, and the service does not need it',
    ];
  const all = status.members as readonly Document[];
  const lines = all.map(({ name, stateStr, health, optimeDate }) => {
    const behind = Math.max(0, Math.round((newest(all) - Number(optimeDate)) / 1_000));
    const isSound = health === 1 && ['PRIMARY', 'SECONDARY', 'ARBITER'].includes(stateStr);
    return `${isSound ? '' : 'CHECK: '}member ${name} is ${stateStr}${isSound && behind > 10 ? `, ${behind} s behind` : ''}`;
  });
  const data = all.filter(({ stateStr }) => stateStr !== 'ARBITER').length;
  if (data < 3)
    lines.push(`CHECK: ${data} of the members hold data; three go on, and lose nothing, when one of them fails`);
  if (data < all.length)
    lines.push('CHECK: with an arbiter, one failed member leaves no majority that writes can be confirmed by');
  return lines;
}

const newest = (all: readonly Document[]): number => Math.max(...all.map(({ optimeDate }) => Number(optimeDate ?? 0)));

async function oplog(local: Db): Promise<readonly string[]> {
  const entries = local.collection('oplog.rs');
  const ends = await allowed(() =>
    Promise.all(
      ([1, -1] as const).map((way) => entries.findOne({}, { sort: { $natural: way }, projection: { wall: 1 } })),
    ),
  );
  if (ends === undefined) return ['oplog: the user may not read it'];
  const [first, last] = ends.map((entry) => Number(entry?.wall ?? 0));
  const hours = ((last ?? 0) - (first ?? 0)) / 3_600_000;
  const { storageSize = 0, maxSize = 0 } = (await allowed(() => local.command({ collStats: 'oplog.rs' }))) ?? {};
  const isFull = maxSize > 0 && storageSize > maxSize * 0.8; // until it is full, it reaches back to the creation of the database
  const line = `oplog: reaches back ${hours.toFixed(1)} hours`;
  return [isFull && hours < OPLOG_HOURS ? `CHECK: ${line}; make it larger, so that it is ${OPLOG_HOURS}` : line];
}

/** The server's defaults for clients that set no write concern; the service sets "majority" with every write. */
async function defaults(admin: Db): Promise<readonly string[]> {
  const found = await allowed(() => admin.command({ getDefaultRWConcern: 1 }));
  const concern = found?.defaultWriteConcern?.w;
  if (concern === undefined) return [];
  const line = `default write concern: ${JSON.stringify(concern)}; the service itself asks for the majority with every write`;
  return [concern === 'majority' ? line : `CHECK: ${line}, other programs do not`];
}

/** Undefined if the database user lacks the right. */
export async function allowed<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if ((error as { codeName?: string }).codeName === 'Unauthorized') return undefined;
    throw error;
  }
}
