import { isIP } from 'node:net';
import type { SettingReader } from './setting-reader.ts';

/** MongoDB opens no change stream on its own databases, and rejects names that differ from theirs only in case. */
const OF_MONGODB = /^(admin|local|config)$/i;
const MAX_NAME_BYTES = 63;

/** The database of the service, by MONGODB_DATABASE. */
export function databaseName(reader: SettingReader): string {
  const name = reader.text('MONGODB_DATABASE', 'inspection_exchange');
  if (OF_MONGODB.test(name)) {
    const allowed = 'a database of the service’s own: admin, local and config are those of MongoDB itself';
    return reader.refuse('MONGODB_DATABASE', allowed, name);
  }
  if (/^[^/\\. "$*<>:|?]+$/.test(name) && Buffer.byteLength(name) <= MAX_NAME_BYTES) return name;
  const allowed = `a MongoDB database name: 1 to ${MAX_NAME_BYTES} bytes, none of /\\. "$*<>:|?`;
  return reader.refuse('MONGODB_DATABASE', allowed, name);
}

const HOST_NAME = /^[\p{L}\p{N}_.-]+$/u;

/** An address to listen on, which has no port and can be part of a URL. */
export function listenAddress(reader: SettingReader, name: string, standard: string): string {
  const host = reader.text(name, standard);
  if (isIP(host) !== 0 || (HOST_NAME.test(host) && URL.canParse(`http://${host}`))) return host;
  return reader.refuse(name, 'an IP address or a host name, without a port', standard);
}

/** The http address of a host and port; that of an IPv6 address does not name its interface (fe80::1%eth0). */
export const httpAddress = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host.replace(/%.*$/, '')}]` : host}:${port}`;

/** BASE_URL is published, so it has no password; paths are appended to it, so it has no query, fragment or trailing slash. */
export function publicAddress(reader: SettingReader): string | undefined {
  const address = reader.address('BASE_URL', ['https', 'http'])?.replace(/\/+$/, '');
  if (address === undefined) return undefined;
  if (!hasUser(address) && !/[?#]/.test(address)) return address;
  return reader.refuse('BASE_URL', 'an address without a user, a password, a query (?) and a fragment (#)', undefined);
}

/** Whether an address names a user. */
export function hasUser(address: string): boolean {
  const { username, password } = new URL(address);
  return username !== '' || password !== '';
}
