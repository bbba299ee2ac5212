import type { LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { literalAddress, type PrivateAddresses, refusalOfAddress } from '../webhooks/address-rules.ts';
import { createNameLookup, type NameLookup } from './name-lookup.ts';

/** The host of a webhook has an address that may not be called; nothing was sent. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** Makes HTTP requests to receivers. */
export interface Connector {
  /** Begins a POST; connects only to addresses checked after DNS resolution. Throws AddressRefused for a forbidden literal address. */
  post(url: URL, options: PostOptions): http.ClientRequest;
  close(): void;
}

interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const IDLE_MS = 4_000;

const NO_ADDRESS = 'the host leads to no address that may be called';

/**
 * Connections to receivers. Each new connection resolves the name, checks every address, and connects only to those
 * addresses, so changing the DNS record a moment later (rebinding) has no effect. Connections are kept alive for some
 * seconds; an open one stays on its checked address. Where private addresses are forbidden, an unknown name gets the
 * same refusal as a name with a private address, so that nobody can probe which names the surrounding network has.
 */
export function createConnector(allowed: PrivateAddresses, lookUp: NameLookup = createNameLookup()): Connector {
  const options = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: 2, scheduling: 'lifo' } as const;
  const addressesOf = async (name: string, signal: AbortSignal): Promise<LookupAddress[]> => {
    const addresses = await lookUp(name, signal).catch((cause: unknown) => {
      throw allowed === 'all' ? cause : new AddressRefused(NO_ADDRESS, { cause });
    });
    const isRefused = addresses.some(({ address }) => refusalOfAddress(address, allowed));
    if (isRefused) throw new AddressRefused(NO_ADDRESS);
    return addresses;
  };
  const checked = (signal: AbortSignal): LookupFunction => {
    return (name, { all }, done) => {
      addressesOf(name, signal).then(
        (addresses) => {
          const [first] = addresses;
          if (!first) done(new Error('the host has no address'), []);
          else if (all) done(null, addresses);
          else done(null, first.address, first.family);
        },
        (error) => done(error, []),
      );
    };
  };
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  return {
    post(url, { headers, signal }) {
      const literal = literalAddress(url);
      const refusal = literal === undefined ? undefined : refusalOfAddress(literal, allowed);
      if (refusal) throw new AddressRefused(`the address ${refusal}`);
      const isSecure = url.protocol === 'https:';
      const agent = isSecure ? agents['https:'] : agents['http:'];
      return (isSecure ? https : http).request(url, {
        method: 'POST',
        headers,
        agent,
        signal,
        lookup: checked(signal),
      });
    },
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}
