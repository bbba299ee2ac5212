import { CALLERS, type Caller } from '../service.ts';
import { type Message, StreamClient } from './stream-client.ts';

/** The change feed, read as Server-Sent Events. */
export class FeedClient extends StreamClient {
  /** Requests the stream; resolves once its headers are there. */
  static async open(
    url: string,
    { path = '/v2/changes', as = 'client', headers = {} }: { path?: string; as?: Caller; headers?: object } = {},
  ): Promise<FeedClient> {
    const client = new FeedClient();
    const credential = { Authorization: `Bearer ${CALLERS[as]}`, Accept: 'text/event-stream' };
    await client.follow(`${url}${path}`, { headers: { ...credential, ...headers } });
    return client;
  }

  /** The events received, once there are at least that many. */
  async events(count: number): Promise<readonly Message[]> {
    const found = () => this.messages.filter(({ data }) => data !== undefined);
    await this.until(() => found().length >= count);
    return found();
  }
}
