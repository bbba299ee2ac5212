import type { Channel } from 'node:diagnostics_channel';

/** Subscribes to a channel; the returned function unsubscribes. */
export function listenTo<T>(channel: Channel, heard: (message: T) => void): () => void {
  const listener = (message: unknown): void => heard(message as T);
  channel.subscribe(listener);
  return () => void channel.unsubscribe(listener);
}
