import { isDocumentFault } from './document-faults.ts';

/**
 * Does the work for a whole or, where that is too much, for parts of it in their order; yields the result of each. `dividedBy` returns
 * the parts of one for which the work failed, smaller than itself, or undefined if the error has another cause: it is thrown then.
 */
export async function* inPartsOf<Part, T>(
  whole: Part,
  work: (part: Part) => Promise<T>,
  dividedBy: (error: unknown, part: Part) => readonly Part[] | undefined,
): AsyncGenerator<T> {
  const waiting = [whole];
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    let done: T;
    try {
      done = await work(part);
    } catch (error) {
      const parts = dividedBy(error, part);
      if (!parts) throw error;
      waiting.push(...parts.toReversed());
      continue;
    }
    yield done;
  }
}

/** How a list is divided, if not into halves where work fails because of a document. */
interface Division<One> {
  readonly mayDivide?: (error: unknown) => boolean;
  readonly divided?: (part: readonly One[], error: unknown) => readonly (readonly One[])[];
}

/**
 * Does the work for all of a list together or, where that is too much or one of them makes it fail, in smaller parts; yields the result
 * of each part. One for which it fails by itself is left out, unless nobody is told: the error is thrown then.
 */
export const inSmallerParts = <One, T>(
  all: readonly One[],
  work: (some: readonly One[]) => Promise<T>,
  leftOut: ((one: One, error: unknown) => void) | undefined,
  { mayDivide = isDocumentFault, divided = halved }: Division<One> = {},
): AsyncGenerator<T> =>
  inPartsOf(all, work, (error, part) => {
    const [one] = part;
    if (one === undefined || !mayDivide(error)) return undefined;
    if (part.length > 1) return divided(part, error);
    leftOut?.(one, error);
    return leftOut && [];
  });

/** The two halves of a list. */
export function halved<One>(all: readonly One[]): readonly (readonly One[])[] {
  const half = Math.ceil(all.length / 2);
  return [all.slice(0, half), all.slice(half)];
}
