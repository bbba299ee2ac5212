/** Whether this is the compiled service (`scripts/build.mjs`), and not a clone with the sources. */
export const isBuilt = !import.meta.filename.endsWith('.ts');

/** The prefix of every command that a message names. */
export const PROGRAM = isBuilt ? 'npx inspection-exchange' : 'npm run cli --';

/** The prefix for commands whose stdout must have only their own output: npm prints lines of its own first. */
export const QUIET_PROGRAM = isBuilt ? PROGRAM : 'npm run cli --silent --';
