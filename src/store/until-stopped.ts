/** The outcome of work, or the reason of the stop as soon as one is asked for: what the work still does is of no interest then. */
export async function untilStopped<T>(work: Promise<T>, stopped: AbortSignal | undefined): Promise<T> {
  if (!stopped) return work;
  const { promise: stop, reject } = Promise.withResolvers<never>();
  const onStop = (): void => reject(stopped.reason);
  stopped.addEventListener('abort', onStop);
  if (stopped.aborted) onStop();
  try {
    return await Promise.race([work, stop]);
  } finally {
    stopped.removeEventListener('abort', onStop);
  }
}
