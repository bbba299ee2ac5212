import type { LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { literalAddress, type PrivateAddresses, refusalOfAddress } from '../webhooks/address-rules.ts';
import { createNameLookup, type NameLookup } from './name-lookup.ts';

/** The host of a webhook leads to no address that may be called; nothing was sent. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
}

/** What a request to a receiver needs. */
export interface Connector {
  /** Begins a POST; it connects only to addresses that were checked after DNS. Throws AddressRefused for a literal one. */
  post(url: URL, options: PostOptions): http.ClientRequest;
  close(): void;
}

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const IDLE_MS = 4_000;

const NO_ADDRESS = 'the host leads to no address that may be called';

/**
 * Connections to receivers. A name is looked up for each connection, every address that it has is checked, and the
 * connection is made to just those: a name that leads elsewhere a moment later changes nothing. Connections are kept
 * for some seconds; an open one leads where it was checked to lead. Where private addresses may not be called, a name that is
 * not found is refused as one that leads to them is: nobody learns which names the network around the service has.
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
