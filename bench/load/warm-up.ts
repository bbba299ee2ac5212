import type { BenchRequest } from '../rows/operation.ts';
import { headersOf, type Load } from './load.ts';

/** Sends requests for some milliseconds, so that code is compiled and connections are open before the measurement. */
export async function warmUp(load: Load, milliseconds: number): Promise<void> {
  const end = performance.now() + milliseconds;
  let at = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const request = load.requests[at++ % load.requests.length];
      if (request) await send(load, request);
    }
  };
  await Promise.all(Array.from({ length: load.connections }, client));
}

/** Sends one request and reads its whole answer. */
export async function send(load: Load, request: BenchRequest): Promise<{ response: Response; text: string }> {
  const response = await fetch(load.url + request.path, {
    method: request.method,
    headers: headersOf(load, request),
    body: request.body ?? null,
  });
  return { response, text: await response.text() };
}
