/** Whether this is the compiled service (`scripts/build.mjs`), and not a clone with the sources. */
export const isBuilt = !import.meta.filename.endsWith('.ts');

/** How a command of the command line begins. */
export const PROGRAM = isBuilt ? 'npx inspection-exchange' : 'npm run cli --';
