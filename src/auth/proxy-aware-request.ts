import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

export interface ClientSideParts {
  /** The number of trusted proxies whose X-Forwarded-… headers are used. */
  readonly trustProxy: number;
  /** The public address of the service. */
  readonly baseUrl: string;
  /** Whether an operator has set it: only its pages are our own then. */
  readonly hasBaseUrl: boolean;
  /** Origins whose pages may use the service. */
  readonly corsOrigins: readonly string[];
}

/** The client of a request, taking the headers of trusted proxies into account. */
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
   * The client's address as the outermost trusted proxy gives it, or that of the connection where it gives none; undefined
   * once the connection is closed.
   */
  addressOf(request: IncomingMessage): string | undefined {
    const told = this.#trustProxy > 0 ? proxyAddr(request, (_, hop) => hop < this.#trustProxy) : undefined;
    return addressIn(told) ?? addressIn(request.socket.remoteAddress);
  }

  /** The client's IPv4 address, or the /64 of its IPv6 address, which is usually assigned to one client. */
  networkOf(request: IncomingMessage): string {
    const address = this.addressOf(request);
    if (address === undefined) return '';
    const parsed = ipaddr.process(address);
    return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
  }

  /** Whether the client uses https. */
  isSecure(request: IncomingMessage): boolean {
    return this.#baseUrl?.protocol === 'https:' || this.#forwarded(request, 'x-forwarded-proto') === 'https';
  }

  /**
   * Whether the Origin of the request, if any, is our own or an allowed one. Without BASE_URL, our own is that of the host
   * that the request names, over what a trusted proxy says it came by; where none says so, over http or https.
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

  /** What the outermost trusted proxy tells: each may add a value, and whatever comes before theirs is the client's claim. */
  #forwarded({ headers }: IncomingMessage, name: 'x-forwarded-proto' | 'x-forwarded-host'): string | undefined {
    const value = this.#trustProxy > 0 ? headers[name] : undefined;
    if (value === undefined) return undefined;
    const told = String(value).split(',');
    return told[Math.max(0, told.length - this.#trustProxy)]?.trim().toLowerCase();
  }
}

/** An address with its port, as Azure Application Gateway writes it: one of IPv6 is then in brackets. */
const WITH_PORT = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d+)?$/;

/** The address in what a proxy or a socket gives as one, without port and zone, and IPv4 in its own notation. */
function addressIn(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const [, bracketed, dotted] = WITH_PORT.exec(given) ?? [];
  const address = (bracketed ?? dotted ?? given).replace(/%.*$/, '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? undefined : address;
}

/** Compares hosts with the port that the origin's protocol implies. */
function sameHost(origin: URL, host: string): boolean {
  const own = `${origin.protocol}//${host}`;
  return origin.host !== '' && URL.canParse(own) && new URL(own).host === origin.host;
}
