import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import type { Document } from 'mongodb';
import type { RunEvent, TracedOperation } from '../../src/telemetry/tracing.ts';
import { type ShardVerdict, verdictOf } from './shard-rules.ts';

interface Built {
  buildCommand(connection: unknown, session: unknown): Document;
  readonly session?: { inTransaction(): boolean } | undefined;
}
interface Member {
  readonly pool: { readonly options: { readonly appName?: string } };
}
type Command = (this: Member, operation: Built, ...rest: unknown[]) => Promise<unknown>;

/** What a sharded cluster would refuse, with the operation that sent it. */
const refused = new Set<string>();
/** How often each operation targeted one shard, and all of them. */
const counts = new Map<string, { one: number; all: number }>();
const operations = new AsyncLocalStorage<string>();

/** Runs a GraphQL operation under its name, as traces do, to attribute commands inside it. */
export const operationWatch = {
  operation: <T>({ type, name }: TracedOperation, run: () => T): T =>
    operations.run(name ?? `a ${type} without a name`, run),
  events:
    ({ name }: TracedOperation): RunEvent =>
    (_, run) =>
      operations.run(`events of ${name ?? 'a subscription without a name'}`, run),
};

function note({ collection, name, isBroadcast, violations }: ShardVerdict): void {
  const operation = operations.getStore();
  for (const violation of violations) {
    Error.stackTraceLimit = 60;
    const stack = new Error().stack ?? '';
    Error.stackTraceLimit = 10;
    const from = callerOf(stack);
    if (from !== undefined || !/\.test\.ts:/.test(stack))
      refused.add(`${collection}: ${violation} (${operation ?? 'no operation'}, ${from})`);
  }
  const row = `${operation ?? '(the service itself)'}\t${collection}\t${name}`;
  const count = counts.get(row) ?? { one: 0, all: 0 };
  count[isBroadcast ? 'all' : 'one']++;
  counts.set(row, count);
}

/** The line of the service that a command comes from; without one, a test may have sent it itself. */
const callerOf = (stack: string): string | undefined =>
  /\/((?:src\/(?!store\/(?:connection\/(?:command-times|bounded-writes)|sharding))[\w./-]+\.ts:\d+))/.exec(stack)?.[1];

const { Server } = createRequire(import.meta.url)('mongodb/lib/sdam/server.js') as {
  readonly Server: { readonly prototype: { command: Command } };
};

/** Watches every command of the service in this process from now on; the returned function stops it. */
export function watchCommands(): () => void {
  const { command } = Server.prototype;
  Server.prototype.command = function watched(operation, ...rest) {
    if (this.pool.options.appName === 'inspection-exchange') watch(operation);
    return command.call(this, operation, ...rest);
  };
  return () => {
    Server.prototype.command = command;
  };
}

function watch(operation: Built): void {
  const build = operation.buildCommand;
  operation.buildCommand = function built(connection, session) {
    const command = build.call(this, connection, session);
    const verdict = verdictOf({ command, isInTransaction: operation.session?.inTransaction() ?? false });
    if (verdict !== undefined) note(verdict);
    return command;
  };
}

/** What was refused since the last call. */
export function takeRefused(): string[] {
  const taken = [...refused];
  refused.clear();
  return taken;
}

/** What was refused and counted since the last call; resets both. */
export function takeCommands(): { readonly refused: string[]; readonly rows: string[] } {
  const rows = [...counts].map(([row, { one, all }]) => `${row}\t${one}\t${all}\n`);
  counts.clear();
  return { refused: takeRefused(), rows };
}
