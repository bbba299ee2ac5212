import { createRequire } from 'node:module';

/** How long an answer may be on its way, beside the time that MongoDB may take for it. */
const ON_THE_WAY_MS = 2_000;
/** For how long MongoDB keeps the cursor of a change stream waiting that names no time. */
const AWAITED_MS = 1_000;
/** What it may take to read before it waits; for more than that, the stream begins anew where it was. */
const BEFORE_WAITING_MS = 10_000;
/** A change stream begins by reading MongoDB's log, which may be long. */
const BEGINNING_MS = 600_000;
/** Reads by id have an index. */
const BY_ID_MS = 10_000;
/** Those of one document nearly always have one. */
const ONE_MS = 60_000;
/** MongoDB ends a transaction that is open for longer than a minute. */
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
  /** Of the cursor that a `getMore` is of. */
  readonly maxTimeMS?: number;
  readonly awaitData?: boolean;
  readonly session?: { inTransaction(): boolean } | undefined;
}

/**
 * How long the connection of a command may be silent, in milliseconds, before it has certainly been forgotten on the way; undefined
 * for work that may take as long as it needs.
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

/** A connection of MongoDB's driver, as far as this knows of it. */
interface Connection {
  readonly socket: { readonly timeout?: number };
  /** When its last command ended, by performance.now(). */
  readonly lastUseTime: number;
  /** One that is idle for longer than `maxIdleTimeMS` is closed instead of used. */
  readonly idleTime: number;
  command: Send;
  onTimeout(): void;
}

let isLimited = false;

/**
 * Ends each connection of this process that is silent for longer than its command can take, and with it those that have been idle
 * since before. MongoDB's driver (7.9.0) has such a limit for all commands of a client or for one, and none that reaches the
 * `getMore` of a change stream. It then does what it does where a connection breaks.
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
