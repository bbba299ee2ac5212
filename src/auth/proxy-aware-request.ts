import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

interface ClientSideParts {
  /** The number of trusted proxies whose X-Forwarded-… headers are used. */
  readonly trustProxy: number;
  /** The public address of the service. */
  readonly baseUrl: string;
  /** Whether an operator has set it; if so, only its pages are our own. */
  readonly hasBaseUrl: boolean;
  /** Origins whose pages may use the service. */
  readonly corsOrigins: readonly string[];
}

/** The parts of an IPv6 address, of 16 bits, that name a site and a network. */
const [SITE, NETWORK] = [3, 4];

/** Tells who sent a request, taking the headers of trusted proxies into account. */
export class ProxyAwareRequest {
  readonly #trustProxy: number;
  readonly #baseUrl: URL | undefined;
  readonly #hasBaseUrl: boolean;
  readonly #corsOrigins: readonly string[];

  constructor({ trustProxy, baseUrl, hasBaseUrl, corsOrigins }: ClientSideParts) {
    this.#trustProxy = trustProxy;
    this.#baseUrl = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
    this.#hasBaseUrl = hasBaseUrl;
    this.#corsOrigins = corsOrigins;
  }

  /**
   * The client's address as the outermost trusted proxy reports it, otherwise the connection's; undefined once the
   * connection is closed.
   */
  addressOf(request: IncomingMessage): string | undefined {
    const told = this.#trustProxy > 0 ? proxyAddr(request, (_, hop) => hop < this.#trustProxy) : undefined;
    return addressIn(told) ?? addressIn(request.socket.remoteAddress);
  }

  /**
   * The networks of the client, the largest first: its IPv4 address, or of its IPv6 address the /48 that a site may have, and
   * the /64 that is usually assigned to one client.
   */
  networksOf(request: IncomingMessage): readonly string[] {
    const address = this.addressOf(request);
    if (address === undefined) return [''];
    const parsed = ipaddr.process(address);
    if (!(parsed instanceof ipaddr.IPv6)) return [parsed.toString()];
    return [SITE, NETWORK].map((parts) => parsed.parts.slice(0, parts).join(':'));
  }

  /** Whether the client uses https. */
  isSecure(request: IncomingMessage): boolean {
    return this.#baseUrl?.protocol === 'https:' || this.#forwarded(request, 'x-forwarded-proto') === 'https';
  }

  /**
   * Whether the request's Origin, if any, is our own or allowed. Without BASE_URL, our own is the host that the request
   * names, with the protocol that a trusted proxy reports; if none does, either http or https.
   */
  isWelcome(request: IncomingMessage): boolean {
    const { origin, host } = request.headers;
    if (origin === undefined || origin === this.#baseUrl?.origin || this.#corsOrigins.includes(origin)) return true;
    if (this.#hasBaseUrl || !URL.canParse(origin)) return false;
    const page = new URL(origin);
    const scheme = this.#forwarded(request, 'x-forwarded-proto');
    if (scheme !== undefined && page.protocol !== `${scheme}:`) return false;
    return sameHost(page, this.#forwarded(request, 'x-forwarded-host') ?? host ?? '');
  }

  /** The value from the outermost trusted proxy: each may append one, and anything before theirs is only the client's claim. */
  #forwarded({ headers }: IncomingMessage, name: 'x-forwarded-proto' | 'x-forwarded-host'): string | undefined {
    const value = this.#trustProxy > 0 ? headers[name] : undefined;
    if (value === undefined) return undefined;
    const told = String(value).split(',');
    return told[Math.max(0, told.length - this.#trustProxy)]?.trim().toLowerCase();
  }
}

/** An address with a port, as Azure Application Gateway writes it; IPv6 addresses are then in brackets. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/;

/** The address that a proxy or socket reports, without port and zone, and with IPv4 in its own notation. */
function addressIn(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const [, bracketed, dotted] = WITH_PORT.exec(given) ?? [];
  const address = (bracketed ?? dotted ?? given).replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? undefined : address;
}

/** Compares hosts, with the default port of the origin's protocol. */
function sameHost(origin: URL, host: string): boolean {
  const own = `${origin.protocol}//${host}`;
  return origin.host !== '' && URL.canParse(own) && new URL(own).host === origin.host;
}
