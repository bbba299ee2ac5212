import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { holderOf as holderOfFile, type LockHolder, tryLock } from '../../scripts/lock.mjs';

/** The longest that a stopping gateway is waited for, in milliseconds. */
const STOP_MS = 35_000;

/** The gateway that holds a data folder. */
interface Holder extends LockHolder {
  /** Where it listens, once it does. */
  readonly address?: string;
  /** Since when it has been stopping, if it is. */
  readonly stopping?: string;
}

/** A lock on a data folder, held until we release it or die. */
interface Lock {
  /** Writes the address into the lock, for `npm run cli -- doctor` and for the message that a second gateway gets. */
  announce(address: string): void;
  /** Writes into the lock that we are stopping, so that the next gateway waits instead of being refused. */
  announceStop(): void;
  release(): void;
}

const lockFile = (dataDir: string): string => join(dataDir, 'gateway.lock');

/** The live gateway that holds this data folder, if any. */
export const holderOf = (dataDir: string): Holder | undefined => holderOfFile(lockFile(dataDir));

/**
 * Locks the data folder; takes over from a gateway that died, and waits for one that is stopping. Throws one clear line
 * if another gateway holds it, and stops waiting when `stopped` is aborted.
 */
export async function takeLock(
  dataDir: string,
  log: (line: string) => void,
  stopped?: AbortSignal | undefined,
): Promise<Lock> {
  let waitingFor: number | undefined;
  for (const deadline = performance.now() + STOP_MS; ; await sleep(100, undefined, { signal: stopped })) {
    const lock = tryLock(lockFile(dataDir));
    if (lock !== undefined) {
      return {
        announce: (address) => lock.update({ address }),
        announceStop: () => lock.update({ stopping: new Date().toISOString() }),
        release: lock.release,
      };
    }
    const holder = holderOf(dataDir);
    if (holder === undefined) continue;
    if (holder.stopping === undefined || performance.now() > deadline) throw new Error(inUse(dataDir, holder));
    if (waitingFor !== holder.pid) {
      log(`Waiting for the gateway on ${dataDir} (process ${holder.pid}) that is stopping …`);
      waitingFor = holder.pid;
    }
  }
}

function inUse(dataDir: string, { pid, since, address, stopping }: Holder): string {
  const where = address === undefined ? '' : `, ${address}`;
  const still = stopping === undefined ? '' : `, stopping since ${stopping}`;
  return `The data folder ${dataDir} is in use by another gateway (process ${pid}${where}, since ${since}${still}). Stop that one, or set DATA_DIR to another folder.`;
}
