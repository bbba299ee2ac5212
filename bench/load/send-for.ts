import type { Load } from './load.ts';
import { send } from './warm-up.ts';

/** Sends requests in turn for some milliseconds; how many were answered. Throws if one was refused. */
export async function sendFor(load: Load, milliseconds: number): Promise<number> {
  const end = performance.now() + milliseconds;
  let sent = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const request = load.requests[sent++ % load.requests.length];
      if (!request) return;
      const { response, text } = await send(load, request);
      if (!response.ok)
        throw new Error(`${request.method} ${request.path} was answered with ${response.status}: ${text}`);
    }
  };
  await Promise.all(Array.from({ length: load.connections }, client));
  return sent;
}
