/** The outcome of work, or the stop reason as soon as a stop is requested: whatever the work still does is then irrelevant. */
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
