import { constants } from 'node:os';

/** What stops a process in order: a supervisor, Ctrl-C, and a terminal or ssh session that is closed. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** The exit code of a command that a signal stopped before its end. */
export const codeOfSignal = (signal: (typeof STOP_SIGNALS)[number]): number => 128 + constants.signals[signal];
