import { constants } from 'node:os';

/** The signals that stop a process gracefully: from a supervisor, Ctrl-C, and a closed terminal or ssh session. */
export const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** The exit code of a command interrupted by a signal. */
export const codeOfSignal = (signal: (typeof STOP_SIGNALS)[number]): number => 128 + constants.signals[signal];
