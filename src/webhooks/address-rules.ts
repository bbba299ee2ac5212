import ipaddr from 'ipaddr.js';

/** Which non-public addresses may be called: none, loopback, or private networks too. */
export type PrivateAddresses = 'none' | 'loopback' | 'all';

type Kind = 'public' | 'loopback' | 'private' | 'never';

/** IPv4 ranges that ipaddr.js classifies as unicast but that contain no Internet hosts. */
const SPECIAL_IPV4 = ['192.0.0.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '198.18.0.0/15'].map(
  (range) => ipaddr.IPv4.parseCIDR(range),
);
/** Global unicast, and its special-purpose ranges: tunnels, translation and documentation. */
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
 * Why an address (as text without brackets) may not be called; undefined if it may. Only addresses known to be Internet
 * hosts are public; every form of IPv6 that embeds an IPv4 address is refused, except the mapped form, which is treated
 * as the IPv4 address itself.
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

/** The rules for webhook URLs. */
export interface UrlRules {
  readonly allowed: PrivateAddresses;
  /** Whether only https is accepted. */
  readonly httpsOnly: boolean;
}

const LONGEST_URL = 2_000;
/** Characters that parsers silently drop from a URL, or read as something else (WHATWG URL, 4.4). */
const UNCLEAN = /[\s\p{Cc}\\]/u;

/** The host of a URL if it is an IP address, in whatever notation; undefined for a name. */
export function literalAddress({ hostname }: URL): string | undefined {
  const plain = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(plain) ? plain : undefined;
}

/** The most octets in a name, and in each of its labels (RFC 1035, 2.3.4). */
const LONGEST_NAME = 253;
const LONGEST_LABEL = 63;

function refusalOfName(hostname: string): string | undefined {
  const name = hostname.replace(/\.$/, ''); // the root dot
  const fits = name.split('.').every(({ length }) => length > 0 && length <= LONGEST_LABEL);
  if (fits && name.length <= LONGEST_NAME) return undefined;
  return `must have a valid DNS name as its host: labels of 1 to ${LONGEST_LABEL} octets with dots between them, at most ${LONGEST_NAME} octets in all.`;
}

/** Why the URL of a webhook may not be used; undefined if it may. Names are resolved and checked on connecting. */
export function refusalOfUrl(text: string, { allowed, httpsOnly }: UrlRules): string | undefined {
  if (text.length > LONGEST_URL) return `must have at most ${LONGEST_URL} characters.`;
  if (UNCLEAN.test(text)) return 'must have no spaces, line breaks, other control characters or backslashes.';
  if (!URL.canParse(text)) return 'must be an absolute URL.';
  const url = new URL(text);
  if (!(httpsOnly ? /^https:\/\/[^/]/i : /^https?:\/\/[^/]/i).test(text)) {
    return httpsOnly ? 'must begin with https:// and a host.' : 'must begin with https:// or http:// and a host.';
  }
  if (url.port === '0') return 'must not have the port 0.';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password.';
  const literal = literalAddress(url);
  if (literal === undefined) return refusalOfName(url.hostname);
  const refusal = refusalOfAddress(literal, allowed);
  return refusal && `must not point to ${literal}, which ${refusal}.`;
}
