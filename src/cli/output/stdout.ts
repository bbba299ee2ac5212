import { constants } from 'node:os';

/** What was written to stdout is lost, or nobody reads any more. */
export class UnwrittenOutput extends Error {
  override readonly name = 'UnwrittenOutput';
  /** The reader has left, as `head` does when it has enough. */
  readonly isUnread: boolean;

  constructor(cause: NodeJS.ErrnoException) {
    super(`stdout cannot be written (${cause.message}), so that some or all of the output is missing.`, { cause });
    this.isUnread = cause.code === 'EPIPE';
  }
}

/** The exit code where nobody reads any more: that of a process that SIGPIPE ends. */
export const UNREAD = 128 + constants.signals.SIGPIPE;

/** The first thing that went wrong; console.log keeps it to itself, and the stream forgets it. */
let failure: NodeJS.ErrnoException | undefined;

/** Writes to stdout, and waits until this and all before it are written; throws UnwrittenOutput where they are not. */
export async function write(text: string): Promise<void> {
  await new Promise<void>((resolve) => {
    process.stdout.write(text, (error) => {
      failure ??= error ?? undefined;
      resolve();
    });
  });
  if (failure !== undefined) throw new UnwrittenOutput(failure);
}

/** Waits until what console.log was given is written; throws UnwrittenOutput where it is not. */
export const written = (): Promise<void> => write('');

/** Runs a command; its exit code, also where what it says cannot be written. */
export async function exitCodeOf(run: () => Promise<unknown>): Promise<number> {
  process.stdout.on('error', (error) => {
    failure ??= error;
  });
  process.stderr.on('error', () => undefined); // there is nowhere left to say it
  try {
    const outcome = await run();
    if (typeof outcome === 'number' && outcome !== 0) return outcome;
    await written();
    return 0;
  } catch (error) {
    if (!(error instanceof UnwrittenOutput)) throw error;
    if (error.isUnread) return UNREAD;
    console.error(error.message);
    return 1;
  }
}
