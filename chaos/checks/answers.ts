import { describe, type Evidence, type Finding } from './evidence.ts';

/** While the database or a gateway is away the answer is 503, or none; any other fault of the service's own is wrong. */
export function checkAnswers({ intents }: Pick<Evidence, 'intents'>): Finding[] {
  return intents.flatMap((intent): Finding[] => {
    const isFault = intent.attempts.some(({ outcome }) => Number(outcome) >= 500 && outcome !== 503);
    return isFault ? [{ kind: 'wrong', text: `a fault of the service's own: ${describe(intent)}` }] : [];
  });
}
