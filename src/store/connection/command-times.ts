import { channel } from 'node:diagnostics_channel';
import { createRequire } from 'node:module';

/** A MongoDB command that was answered or failed. */
export interface CommandTime {
  /** The command name, such as `find` or `getMore`. */
  readonly name: string;
  /** Undefined for a command on a database. */
  readonly collection: string | undefined;
  readonly database: string | undefined;
  /** The address, with port, of the member it was sent to. */
  readonly address: string | undefined;
  /** When it was passed to the driver, by performance.now(). */
  readonly started: number;
  readonly seconds: number;
  /** The name of the error if it failed. */
  readonly failure: string | undefined;
}

/** The diagnostics channel that publishes `CommandTime`s. */
export const COMMANDS = channel('inspection-exchange:mongodb-command');

interface Operation {
  readonly commandName?: string;
  /** The command, for a raw one. */
  readonly command?: Readonly<Record<string, unknown>>;
  readonly ns?: { readonly db?: string; readonly collection?: string | undefined };
  /** Present if the namespace is just the database. */
  readonly collection?: { readonly collectionName?: string };
}
interface Member {
  readonly description?: { readonly address?: string };
}
type Command = (this: Member, operation: Operation, ...rest: unknown[]) => Promise<unknown>;

let measuring = false;

/**
 * Publishes every command of this process from now on. The driver's own command events (7.9.0, `monitorCommands`) decode each
 * reply a second time, which doubles the cost of a list; this times the same call instead.
 */
export function measureCommands(): void {
  if (measuring) return;
  measuring = true;
  const { Server } = createRequire(import.meta.url)('mongodb/lib/sdam/server.js') as {
    readonly Server: { readonly prototype: { command: Command } };
  };
  const { command } = Server.prototype;
  Server.prototype.command = function measured(operation, ...rest) {
    if (!COMMANDS.hasSubscribers) return command.call(this, operation, ...rest);
    const started = performance.now();
    const answer = command.call(this, operation, ...rest);
    const publish = (failure?: string): void =>
      COMMANDS.publish({
        ...nameOf(operation),
        database: operation.ns?.db,
        address: this.description?.address,
        started,
        seconds: (performance.now() - started) / 1_000,
        failure,
      } satisfies CommandTime);
    answer.then(
      () => publish(),
      (error: unknown) => publish(error instanceof Error ? error.name : 'Error'),
    );
    return answer;
  };
}

/** A raw command has its name, and often its collection, in its first member. */
function nameOf({
  commandName = 'command',
  command,
  ns,
  collection,
}: Operation): Pick<CommandTime, 'name' | 'collection'> {
  if (commandName !== 'runCommand' || command === undefined)
    return {
      name: commandName,
      collection: collection?.collectionName ?? (ns?.collection === '$cmd' ? undefined : ns?.collection),
    };
  for (const name in command) {
    const value = command[name];
    return { name, collection: typeof value === 'string' ? value : undefined };
  }
  return { name: 'command', collection: undefined };
}
