#!/usr/bin/env node
/** `npx inspection-exchange`: the service or, with arguments, a command of the command line. */
export {};

const OLDEST = 24;

if (Number.parseInt(process.versions.node, 10) < OLDEST) {
  console.error(`Node ${OLDEST} or later is needed, and this is ${process.versions.node}.`);
  process.exit(1);
}

const [{ endWithStarter }, { enableCompileCache }] = await Promise.all([
  import('../../scripts/end-with-starter.mjs'),
  import('node:module'),
]);
endWithStarter();
enableCompileCache();
await (process.argv.length > 2 ? import('./main.ts') : import('../main.ts'));
