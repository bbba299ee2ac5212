import ipaddr from 'ipaddr.js';

/** Which addresses that are not public may be called: none, the machine's own, or those of private networks too. */
export type PrivateAddresses = 'none' | 'loopback' | 'all';

type Kind = 'public' | 'loopback' | 'private' | 'never';

/** Ranges of IPv4 that ipaddr.js counts as unicast and that are no host of the Internet. */
const SPECIAL_IPV4 = ['192.0.0.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '198.18.0.0/15'].map(
  (range) => ipaddr.IPv4.parseCIDR(range),
);
/** Global unicast, and the ranges in it for special purposes: tunnels, translation and documentation. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
);

const IPV4_KINDS: Readonly<Record<string, Kind>> = {
  unicast: 'public',
  loopback: 'loopback',
  private: 'private',
  linkLocal: 'private',
  carrierGradeNat: 'private',
};

const IPV6_KINDS: Readonly<Record<string, Kind>> = {
  loopback: 'loopback',
  uniqueLocal: 'private',
  linkLocal: 'private',
};

/**
 * Decides about one address, as text without brackets: undefined if it may be called, otherwise why not. Only what is
 * known to be a host of the Internet is public; every form of IPv6 that carries an IPv4 address is refused, but for the
 * mapped form, which is the IPv4 address itself.
 */
export function refusalOfAddress(address: string, allowed: PrivateAddresses): string | undefined {
  const kind = ipaddr.isValid(address) ? kindOf(ipaddr.parse(address)) : 'never';
  if (kind === 'public' || (kind === 'loopback' && allowed !== 'none') || (kind === 'private' && allowed === 'all')) {
    return undefined;
  }
  return kind === 'never' ? 'is not the address of a host on the Internet' : `is a ${kind} address`;
}

function kindOf(address: ipaddr.IPv4 | ipaddr.IPv6): Kind {
  if (address.kind() === 'ipv4') {
    const ipv4 = address as ipaddr.IPv4;
    if (SPECIAL_IPV4.some((range) => ipv4.match(range))) return 'never';
    return IPV4_KINDS[ipv4.range()] ?? 'never';
  }
  const ipv6 = address as ipaddr.IPv6;
  if (ipv6.isIPv4MappedAddress()) return kindOf(ipv6.toIPv4Address());
  const known = IPV6_KINDS[ipv6.range()];
  if (known !== undefined) return known;
  const isGlobal = ipv6.match(GLOBAL_IPV6) && !SPECIAL_IPV6.some((range) => ipv6.match(range));
  return isGlobal && ipv6.range() === 'unicast' ? 'public' : 'never';
}

/** What a URL of a webhook must satisfy. */
export interface UrlRules {
  readonly allowed: PrivateAddresses;
  /** Whether only https is taken. */
  readonly httpsOnly: boolean;
}

const LONGEST_URL = 2_000;
/** What parsers take out of a URL, or read as something else, without a word (WHATWG URL, 4.4). */
const UNCLEAN = /[\s\p{Cc}\\]/u;

/** The address in a URL, where its host is one, in whatever notation; undefined for a name. */
export function literalAddress({ hostname }: URL): string | undefined {
  const plain = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(plain) ? plain : undefined;
}

/** The octets of a name, and of each of its labels (RFC 1035, 2.3.4). */
const LONGEST_NAME = 253;
const LONGEST_LABEL = 63;

function refusalOfName(hostname: string): string | undefined {
  const name = hostname.replace(/\.$/, ''); // the dot of the root
  const fits = name.split('.').every(({ length }) => length > 0 && length <= LONGEST_LABEL);
  if (fits && name.length <= LONGEST_NAME) return undefined;
  return `must have a valid DNS name as its host: labels of 1 to ${LONGEST_LABEL} octets with dots between them, at most ${LONGEST_NAME} octets in all.`;
}

/** Decides about the URL of a webhook; undefined if it may be used, otherwise why not. Names are decided at the connection. */
export function refusalOfUrl(text: string, { allowed, httpsOnly }: UrlRules): string | undefined {
  if (text.length > LONGEST_URL) return `must have at most ${LONGEST_URL} characters.`;
  if (UNCLEAN.test(text)) return 'must have no spaces, line breaks, other control characters or backslashes.';
  if (!URL.canParse(text)) return 'must be an absolute URL.';
  const url = new URL(text);
  if (!(httpsOnly ? /^https:\/\/[^/]/i : /^https?:\/\/[^/]/i).test(text)) {
    return httpsOnly ? 'must begin with https:// and a host.' : 'must begin with https:// or http:// and a host.';
  }
  if (url.port === '0') return 'must not name the port 0.';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or a password.';
  const literal = literalAddress(url);
  if (literal === undefined) return refusalOfName(url.hostname);
  const refusal = refusalOfAddress(literal, allowed);
  return refusal && `must not lead to ${literal}, which ${refusal}.`;
}
