/** A process, so described that a later one with the same number is not taken for it. */
export interface Identity {
  readonly pid: number;
  readonly life: string;
}

export interface LockHolder extends Identity {
  readonly since: string;
  readonly child?: Identity;
}

export interface FileLock {
  update(details: object): void;
  release(): void;
}

export function tryLock(file: string): FileLock | undefined;
export function waitForLock(file: string, told: (holder: LockHolder) => void): Promise<FileLock>;
export function holderOf(file: string): LockHolder | undefined;
export function identityOf(pid: number): Identity;
