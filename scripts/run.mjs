// node scripts/run.mjs [entry.ts | vitest | biome | tsc] [arguments]
// Runs a program of this project with the right Node, with the packages of package-lock.json installed.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { endWithStarter } from './end-with-starter.mjs';
import { fetchNode, installPackages, isGoodNode, pathWith } from './ready.mjs';

const root = resolve(fileURLToPath(import.meta.url), '..', '..');
const packageOf = { vitest: 'vitest', biome: '@biomejs/biome', tsc: 'typescript' };

endWithStarter();
if (isGoodNode(process.versions.node)) await runHere(process.argv.slice(2));
else runAgainWith(await orEnd(fetchNode(root)));

async function runHere([program = 'src/main.ts', ...args]) {
  await orEnd(installPackages(root));
  keepCompiledCode();
  const file = program in packageOf ? binOf(program) : resolve(program);
  process.argv = [process.argv[0], file, ...args];
  await import(pathToFileURL(file).href);
}

/** Caches Node's compiled code, for this process and its children: later starts are faster, and use less memory. */
function keepCompiledCode() {
  process.env.NODE_COMPILE_CACHE ??= join(root, '.cache', 'compiled');
  module.enableCompileCache();
}

/** The result; on failure, ends this process with the reason, without a stack trace. */
function orEnd(promise) {
  return promise.catch((error) => {
    console.error(error.message);
    process.exit(1);
  });
}

function binOf(program) {
  const folder = join(root, 'node_modules', packageOf[program]);
  return join(folder, JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).bin[program]);
}

function runAgainWith(node) {
  const child = spawn(node, process.argv.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, PATH: pathWith(dirname(node)) },
  });
  const pass = (signal) => child.kill(signal);
  process.on('SIGTERM', pass);
  process.on('SIGHUP', pass);
  process.on('SIGINT', process.stdin.isTTY ? () => {} : pass); // a terminal sends it to the child as well
  child.on('error', (error) => {
    console.error(`${node} does not run here (${error.message}). Install Node 24 or later by hand, and start again.`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
