import type { Channel } from 'node:diagnostics_channel';

/** Hears what is published on a channel until the function that is returned is called. */
export function listenTo<T>(channel: Channel, heard: (message: T) => void): () => void {
  const listener = (message: unknown): void => heard(message as T);
  channel.subscribe(listener);
  return () => void channel.unsubscribe(listener);
}
