import { createRequire } from 'node:module';

/** How long a reply may be in transit, on top of MongoDB's own time limit. */
const ON_THE_WAY_MS = 2_000;
/** How long MongoDB waits on a change stream's cursor if no time is specified. */
const AWAITED_MS = 1_000;
/** How long MongoDB may read before waiting; if longer, the stream restarts where it was. */
const BEFORE_WAITING_MS = 10_000;
/** A change stream starts by reading MongoDB's oplog, which may be long. */
const BEGINNING_MS = 600_000;
/** Reads by id have an index. */
const BY_ID_MS = 10_000;
/** Reads of one document nearly always have an index. */
const ONE_MS = 60_000;
/** MongoDB ends transactions that are open for longer than a minute. */
const TRANSACTION_MS = 60_000 + ON_THE_WAY_MS;

interface Command {
  readonly [member: string]: unknown;
  readonly maxTimeMS?: number;
  readonly getMore?: unknown;
  readonly pipeline?: readonly { readonly [stage: string]: unknown; readonly $changeStream?: unknown }[];
  readonly find?: unknown;
  readonly filter?: { readonly [member: string]: unknown; readonly _id?: unknown };
  readonly singleBatch?: boolean;
  readonly limit?: number;
  readonly commitTransaction?: unknown;
  readonly abortTransaction?: unknown;
}

interface CommandOptions {
  socketTimeoutMS?: number | undefined;
  /** The limit of the cursor that a `getMore` reads from. */
  readonly maxTimeMS?: number;
  readonly awaitData?: boolean;
  readonly session?: { inTransaction(): boolean } | undefined;
}

/**
 * How long a command's connection may be silent, in milliseconds, before it has certainly been dropped in transit; undefined for
 * work that may take as long as it needs.
 */
export function silenceOf(command: Command, { maxTimeMS, awaitData, session }: CommandOptions): number | undefined {
  if (command.getMore !== undefined && awaitData) return (command.maxTimeMS ?? AWAITED_MS) + BEFORE_WAITING_MS;
  const limit = command.maxTimeMS ?? maxTimeMS;
  if (limit) return limit + ON_THE_WAY_MS;
  if (command.find !== undefined && isOfIds(command.filter)) return BY_ID_MS;
  if (command.find !== undefined && command.singleBatch && command.limit === 1) return ONE_MS;
  const ends = command.commitTransaction !== undefined || command.abortTransaction !== undefined;
  if (ends || session?.inTransaction()) return TRANSACTION_MS;
  return command.pipeline?.[0]?.$changeStream === undefined ? undefined : BEGINNING_MS;
}

function isOfIds({ _id }: Command['filter'] = {}): boolean {
  return typeof _id === 'string' || (_id as { $in?: unknown } | undefined)?.$in !== undefined;
}

type Send = (
  this: Connection,
  namespace: unknown,
  command: Command,
  options?: CommandOptions,
  ...rest: unknown[]
) => Promise<unknown>;

/** The parts of the driver's connection used here. */
interface Connection {
  readonly socket: { readonly timeout?: number };
  /** When its last command ended, by performance.now(). */
  readonly lastUseTime: number;
  /** A connection idle for longer than `maxIdleTimeMS` is closed instead of reused. */
  readonly idleTime: number;
  command: Send;
  onTimeout(): void;
}

let isLimited = false;

/**
 * Closes each connection of this process that is silent for longer than its command can take, along with those idle since before
 * that. MongoDB's driver (7.9.0) has such a limit per client or per command, but none that applies to the `getMore` of a change
 * stream. The driver then handles it like any broken connection.
 */
export function limitSilence(): void {
  if (isLimited) return;
  isLimited = true;
  const { prototype } = createRequire(import.meta.url)('mongodb/lib/cmap/connection.js').Connection as {
    readonly prototype: Connection;
  };
  const { command: send, onTimeout } = prototype;
  prototype.command = function limited(namespace, command, options, ...rest) {
    if (options) options.socketTimeoutMS ??= silenceOf(command, options);
    return send.call(this, namespace, command, options, ...rest);
  };
  let forgottenUntil = Number.NEGATIVE_INFINITY;
  prototype.onTimeout = function forgotten() {
    forgottenUntil = Math.max(forgottenUntil, performance.now() - (this.socket.timeout ?? 0));
    onTimeout.call(this);
  };
  Object.defineProperty(prototype, 'idleTime', {
    get(this: Connection): number {
      return this.lastUseTime < forgottenUntil ? Number.POSITIVE_INFINITY : performance.now() - this.lastUseTime;
    },
  });
}
