/** Whether this is the compiled service (`scripts/build.mjs`), and not a clone with the sources. */
export const isBuilt = !import.meta.filename.endsWith('.ts');

/** How a command of the command line begins, in every message that names one. */
export const PROGRAM = isBuilt ? 'npx inspection-exchange' : 'npm run cli --';

/** The same where nothing but the command's own output may be on stdout: npm begins with lines of its own. */
export const QUIET_PROGRAM = isBuilt ? PROGRAM : 'npm run cli --silent --';
