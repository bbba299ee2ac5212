import { constants } from 'node:os';

/** Output to stdout was lost, or its reader has left. */
export class UnwrittenOutput extends Error {
  override readonly name = 'UnwrittenOutput';
  /** The reader has left, as `head` does once it has enough. */
  readonly isUnread: boolean;

  constructor(cause: NodeJS.ErrnoException) {
    super(`stdout cannot be written (${cause.message}), so that some or all of the output is missing.`, { cause });
    this.isUnread = cause.code === 'EPIPE';
  }
}

/** The exit code if the reader has left: that of a process killed by SIGPIPE. */
export const UNREAD = 128 + constants.signals.SIGPIPE;

/** The first error: console.log swallows it, and the stream does not keep it. */
let failure: NodeJS.ErrnoException | undefined;

/** Writes to stdout and waits until this and all earlier output is written; throws UnwrittenOutput if it is not. */
export async function write(text: string): Promise<void> {
  await new Promise<void>((resolve) => {
    process.stdout.write(text, (error) => {
      failure ??= error ?? undefined;
      resolve();
    });
  });
  if (failure !== undefined) throw new UnwrittenOutput(failure);
}

/** Waits until all output of console.log is written; throws UnwrittenOutput if it is not. */
export const written = (): Promise<void> => write('');

/** Runs a command and returns its exit code, even if its output cannot be written. */
export async function exitCodeOf(run: () => Promise<unknown>): Promise<number> {
  process.stdout.on('error', (error) => {
    failure ??= error;
  });
  process.stderr.on('error', () => undefined); // there is nowhere left to report it
  try {
    const outcome = await run();
    const code = typeof outcome === 'number' ? outcome : 0;
    await (code === 0 ? written() : written().catch(() => undefined));
    return code;
  } catch (error) {
    if (!(error instanceof UnwrittenOutput)) throw error;
    if (error.isUnread) return UNREAD;
    console.error(error.message);
    return 1;
  }
}
