import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

export interface ClientSideParts {
  /** The number of trusted proxies whose X-Forwarded-… headers are used. */
  readonly trustProxy: number;
  /** The public address of the service. */
  readonly baseUrl: string;
  /** Origins whose pages may use the service. */
  readonly corsOrigins: readonly string[];
}

/** The client of a request, taking the headers of trusted proxies into account. */
export class ProxyAwareRequest {
  readonly #trustProxy: number;
  readonly #baseUrl: URL | undefined;
  readonly #corsOrigins: readonly string[];

  constructor({ trustProxy, baseUrl, corsOrigins }: ClientSideParts) {
    this.#trustProxy = trustProxy;
    this.#baseUrl = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
    this.#corsOrigins = corsOrigins;
  }

  /** The client's address as the outermost trusted proxy gives it; undefined once the connection is closed. */
  addressOf(request: IncomingMessage): string | undefined {
    if (this.#trustProxy === 0) return request.socket.remoteAddress;
    return proxyAddr(request, (_, hop) => hop < this.#trustProxy);
  }

  /** The client's IPv4 address, or the /64 of its IPv6 address, which is usually assigned to one client. */
  networkOf(request: IncomingMessage): string {
    const address = this.addressOf(request) ?? '';
    if (!ipaddr.isValid(address)) return address;
    const parsed = ipaddr.process(address);
    return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
  }

  /** Whether the client uses https. */
  isSecure(request: IncomingMessage): boolean {
    return this.#baseUrl?.protocol === 'https:' || this.#forwarded(request, 'x-forwarded-proto') === 'https';
  }

  /** Whether the Origin of the request, if any, is our own or an allowed one. */
  isWelcome(request: IncomingMessage): boolean {
    const { origin, host } = request.headers;
    if (origin === undefined || origin === this.#baseUrl?.origin || this.#corsOrigins.includes(origin)) return true;
    const named = this.#forwarded(request, 'x-forwarded-host') ?? host ?? '';
    return URL.canParse(origin) && sameHost(new URL(origin), named);
  }

  /** What the outermost trusted proxy tells: each may add a value, and whatever comes before theirs is the client's claim. */
  #forwarded({ headers }: IncomingMessage, name: 'x-forwarded-proto' | 'x-forwarded-host'): string | undefined {
    const value = this.#trustProxy > 0 ? headers[name] : undefined;
    if (value === undefined) return undefined;
    const told = String(value).split(',');
    return told[Math.max(0, told.length - this.#trustProxy)]?.trim().toLowerCase();
  }
}

/** Compares hosts with the port that the origin's protocol implies. */
function sameHost(origin: URL, host: string): boolean {
  const own = `${origin.protocol}//${host}`;
  return origin.host !== '' && URL.canParse(own) && new URL(own).host === origin.host;
}
