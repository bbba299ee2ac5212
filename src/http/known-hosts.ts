import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { ServiceError } from '../errors.ts';
import { headerValues } from './header-values.ts';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether a host (IPv6 without brackets) is `localhost` or a loopback address. */
export function isLoopback(host: string): boolean {
  const version = isIP(host);
  return version === 0 ? host.toLowerCase() === 'localhost' : LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/**
 * Refuses requests for a host that is not ours (contract §12): a page whose domain an attacker points at this machine must
 * not reach a demo meant for this machine alone (DNS rebinding).
 */
export class KnownHosts {
  readonly #own: string | undefined;
  /** Caches the last known host: clients send the same one with each request. */
  #last: string | undefined;

  /** `baseUrl` is the public address of the service. */
  constructor(baseUrl: string) {
    this.#own = URL.canParse(baseUrl) ? bare(new URL(baseUrl).hostname) : undefined;
  }

  /** Throws MISDIRECTED_REQUEST unless every host the request names is known. */
  check(request: IncomingMessage): void {
    const wrong = namedIn(request).find((host) => host !== this.#last && !this.#knows(host));
    if (wrong === undefined) return;
    throw new ServiceError(
      'MISDIRECTED_REQUEST',
      `The host ${JSON.stringify(wrong.slice(0, MAX_SHOWN))} is not served. ${ALLOWED}`,
    );
  }

  #knows(named: string): boolean {
    const [, host] = HOST_AND_PORT.exec(named) ?? [];
    if (host === undefined) return false;
    const plain = bare(host);
    const isKnown = plain === this.#own || isLoopback(plain);
    if (isKnown) this.#last = named;
    return isKnown;
  }
}

interface HostSettings {
  readonly environment: 'demo' | 'production';
  readonly demoPublic: boolean;
  readonly baseUrl: string;
}

/** The hosts that a service answers under; undefined for any: outside the demo, or if it is public. */
export const knownHosts = ({ environment, demoPublic, baseUrl }: HostSettings): KnownHosts | undefined =>
  environment === 'demo' && !demoPublic ? new KnownHosts(baseUrl) : undefined;

const MAX_SHOWN = 100;
const ALLOWED =
  'Host must be localhost, a loopback address, or the host of BASE_URL; DEMO_PUBLIC=1 turns this check off.';

/** A name or an address, with an optional port. */
const HOST_AND_PORT = /^(\[[\da-f:.]+\]|[^\s:/?#@[\]]+)(?::\d{0,5})?$/i;

/** Normalized: lower case, no brackets, no trailing dot. */
const bare = (host: string): string => host.toLowerCase().replace(/^\[|\]$|\.$/g, '');

/** The values of all Host headers, and the host of a target in absolute form (RFC 9112, 3.2.2). */
function namedIn(request: IncomingMessage): string[] {
  const { url = '' } = request;
  const named = headerValues(request, 'host');
  const [, target] = url.startsWith('/') ? [] : (ABSOLUTE.exec(url) ?? []);
  if (target !== undefined) named.push(target);
  return named;
}

const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i;

/** A target as path and query: absolute form is served like any other. */
export function originForm(target: string): string {
  if (target.startsWith('/') || !ABSOLUTE.test(target)) return target;
  const path = target.replace(ABSOLUTE, '');
  return path.startsWith('/') ? path : `/${path}`;
}
