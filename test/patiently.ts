import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './service.ts';

/** Sends what a test begins with again, as the answer asks, when a busy machine's database did not answer in time. */
export async function patiently(send: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    const answer = await send();
    if (answer.status !== 503 || tries === 5) return answer;
    await sleep(1_000);
  }
}
