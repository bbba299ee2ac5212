import { BADNAME, type LookupAddress, NODATA, NOTFOUND, promises, SERVFAIL } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/** Looks all addresses of a name up. Rejects where it has none; the work ends with the signal. */
export type NameLookup = (name: string, signal: AbortSignal) => Promise<LookupAddress[]>;

/** Where names are looked up. */
export interface NameSources {
  /** The file of the names that this machine knows by itself. */
  readonly hosts: string;
  /** The file that names the domains in which short names are looked for. */
  readonly resolvConf: string;
  /** The name servers; if left out, those of the system. */
  readonly servers?: readonly string[];
}

const SYSTEM: NameSources = { hosts: '/etc/hosts', resolvConf: '/etc/resolv.conf' };

/** How long a name server may take the first time that it is asked; the second time, twice as long. */
const TIMEOUT_MS = 3_000;
const TRIES = 2;

/** The name may be one of another domain; with that of this one, it may be longer than names can be. */
const ELSEWHERE: readonly (string | undefined)[] = [NODATA, NOTFOUND, SERVFAIL, BADNAME];

/** The search domain of a system that has none: names are looked for as they are. */
const ROOT = '.';

/** What `localhost` is where the hosts file does not say so (RFC 6761, 6.3). */
const LOOPBACK = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * Looks names up in the hosts file and in DNS, with the search domains, as the system does. But for the files, it takes
 * no thread: those of `dns.lookup` are few, MongoDB's connections need them too, and a name that no server answers for
 * would hold one for many seconds, whatever has become of the attempt that asked.
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

/** The addresses of the first candidate that has any; where none has, it fails as the name itself does. */
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

/** The addresses of one name, those of IPv4 first; those of one family are enough. */
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

/** What is known without DNS: what the hosts file says, and `localhost`. */
function knownAddresses(name: string, hosts: string): LookupAddress[] {
  const wanted = name.replace(/\.$/, '').toLowerCase();
  const found = hosts.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const family = isIP(address);
    return family !== 0 && names.some((one) => one.toLowerCase() === wanted) ? [{ address, family }] : [];
  });
  return found.length === 0 && wanted === 'localhost' ? [...LOOPBACK] : found;
}

/** The names to ask for, in their order: with the search domains first where the name has fewer dots than `ndots`. */
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
