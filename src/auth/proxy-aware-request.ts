import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddr from 'proxy-addr';

export interface ClientSideParts {
  /** How many proxies in front are believed in their X-Forwarded-… headers. */
  readonly trustProxy: number;
  /** The address of the service as its users see it. */
  readonly baseUrl: string;
  /** Origins whose pages may use the service. */
  readonly corsOrigins: readonly string[];
}

/** What is known of the other side of a connection: headers of proxies count as far as those are believed. */
export class ProxyAwareRequest {
  readonly #trustProxy: number;
  readonly #baseUrl: URL | undefined;
  readonly #corsOrigins: readonly string[];

  constructor({ trustProxy, baseUrl, corsOrigins }: ClientSideParts) {
    this.#trustProxy = trustProxy;
    this.#baseUrl = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
    this.#corsOrigins = corsOrigins;
  }

  /** The IPv4 address of the client, or the /64 of its IPv6 address, since whoever has one of those has all of it. */
  networkOf(request: IncomingMessage): string {
    const address = proxyAddr(request, (_, hop) => hop < this.#trustProxy);
    if (!ipaddr.isValid(address)) return address;
    const parsed = ipaddr.process(address);
    return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
  }

  /** Whether the client uses https. */
  isSecure(request: IncomingMessage): boolean {
    return this.#baseUrl?.protocol === 'https:' || this.#forwarded(request, 'x-forwarded-proto') === 'https';
  }

  /** Whether the page that sends the request, where a browser names one, is ours or one that may use the service. */
  isWelcome(request: IncomingMessage): boolean {
    const { origin, host } = request.headers;
    if (origin === undefined || origin === this.#baseUrl?.origin || this.#corsOrigins.includes(origin)) return true;
    const named = this.#forwarded(request, 'x-forwarded-host') ?? host ?? '';
    return URL.canParse(origin) && sameHost(new URL(origin), named);
  }

  #forwarded({ headers }: IncomingMessage, name: 'x-forwarded-proto' | 'x-forwarded-host'): string | undefined {
    const value = this.#trustProxy > 0 ? headers[name] : undefined;
    return value === undefined ? undefined : String(value).split(',')[0]?.trim().toLowerCase();
  }
}

/** Compares hosts with the port that the origin's protocol implies. */
function sameHost(origin: URL, host: string): boolean {
  const own = `${origin.protocol}//${host}`;
  return origin.host !== '' && URL.canParse(own) && new URL(own).host === origin.host;
}
