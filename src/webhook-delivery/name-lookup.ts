import { BADNAME, type LookupAddress, NODATA, NOTFOUND, promises, SERVFAIL } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** Looks up all addresses of a name. Rejects if there are none; the signal cancels the lookup. */
export type NameLookup = (name: string, signal: AbortSignal) => Promise<LookupAddress[]>;

/** Where names are looked up. */
interface NameSources {
  /** The path of the hosts file. */
  readonly hosts: string;
  /** The path of resolv.conf, which lists the search domains. */
  readonly resolvConf: string;
  /** The name servers; by default, those of the system. */
  readonly servers?: readonly string[];
}

const SYSTEM: NameSources = { hosts: '/etc/hosts', resolvConf: '/etc/resolv.conf' };

/** The timeout of the first query to a name server; it doubles for the second. */
const TIMEOUT_MS = 3_000;
const TRIES = 2;

/** Errors after which the next candidate is tried; BADNAME because a name with a search domain appended may be too long. */
const ELSEWHERE: readonly (string | undefined)[] = [NODATA, NOTFOUND, SERVFAIL, BADNAME];

/** The search domain of a system without any: names are looked up as they are. */
const ROOT = '.';

/** The addresses of `localhost` if the hosts file does not define it (RFC 6761, 6.3). */
const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Looks names up in the hosts file and in DNS, with the search domains, as the system does. Except to read the files, it
 * takes no thread: `dns.lookup` has few, MongoDB's connections need them too, and a name for which no server responds
 * would hold one for many seconds, even after the attempt that asked has ended.
 */
export function createNameLookup({ hosts, resolvConf, servers }: NameSources = SYSTEM): NameLookup {
  return async (name, signal) => {
    const known = knownAddresses(name, await textOf(hosts));
    if (known.length > 0) return known;
    const resolver = new promises.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (servers) resolver.setServers(servers);
    const candidates = candidatesOf(name, await textOf(resolvConf));
    const cancel = (): void => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await firstFound(resolver, name, { candidates, signal });
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** The addresses of the first candidate that has any; if none has, throws the error for the name itself. */
async function firstFound(
  resolver: promises.Resolver,
  name: string,
  { candidates, signal }: { readonly candidates: readonly string[]; readonly signal: AbortSignal },
): Promise<LookupAddress[]> {
  let failure: unknown;
  for (const candidate of candidates) {
    signal.throwIfAborted();
    try {
      return await addressesOf(resolver, candidate);
    } catch (error) {
      if (!ELSEWHERE.includes((error as NodeJS.ErrnoException).code)) throw error;
      if (candidate === name) failure = error;
    }
  }
  throw failure;
}

/** The addresses of one name, IPv4 first; one family is enough. */
async function addressesOf(resolver: promises.Resolver, name: string): Promise<LookupAddress[]> {
  const ofFamily = (family: number) => (addresses: string[]) => addresses.map((address) => ({ address, family }));
  const answers = await Promise.allSettled([
    resolver.resolve4(name).then(ofFamily(4)),
    resolver.resolve6(name).then(ofFamily(6)),
  ]);
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (found.length > 0) return found;
  const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
  throw reasons.find(({ code }) => !ELSEWHERE.includes(code)) ?? reasons[0];
}

/** The addresses known without DNS: from the hosts file, and of `localhost`. */
function knownAddresses(name: string, hosts: string): LookupAddress[] {
  const wanted = name.replace(/\.$/, '').toLowerCase();
  const found = hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    return family !== 0 && names.some((one) => one.toLowerCase() === wanted) ? [{ address, family }] : [];
  });
  return found.length === 0 && wanted === 'localhost' ? [...LOOPBACK] : found;
}

/** The names to query, in order: with the search domains first if the name has fewer dots than `ndots`. */
function candidatesOf(name: string, resolvConf: string): readonly string[] {
  if (name.endsWith('.')) return [name];
  const settings = resolvConf.split('\n').map((line) => line.trim().split(/\s+/));
  const [, ...domains] = settings.findLast(([key]) => key === 'search' || key === 'domain') ?? [];
  const options = settings.filter(([key]) => key === 'options').flat();
  const ndots = options.findLast((option) => option.startsWith('ndots:'))?.slice('ndots:'.length) ?? '1';
  const searched = domains.filter((domain) => domain !== ROOT).map((domain) => `${name}.${domain}`);
  const isLong = name.split('.').length > Number(ndots);
  return isLong ? [name, ...searched] : [...searched, name];
}

const textOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
