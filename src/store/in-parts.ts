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
