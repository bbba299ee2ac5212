// node scripts/build.mjs
// Compiles the service into dist/, with all files that it reads; installed packages and the container run this.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '..', '..');
const dist = join(root, 'dist');

/** The files that the service reads besides its code. */
const ASSETS = ['web', 'examples/*.graphql', 'rest-compat/openapi/examples.json', 'scripts/*.mjs', 'package.json'];

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [join(root, 'scripts/run.mjs'), 'tsc', '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
const isRead = (file) => !/\.d\.ts$|tsconfig/.test(file); // only tsc needs types
for (const file of globSync(ASSETS, { cwd: root })) {
  cpSync(join(root, file), join(dist, file), { recursive: true, filter: isRead });
}
for (const [name, path] of browserBuilds()) vendor(name, path);
chmodSync(join(dist, 'src/cli/bin.js'), 0o755);

/** The package files that pages use, as named by `packaged(name, path)` in src/pages/. */
function browserBuilds() {
  const texts = globSync('src/pages/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
  const found = texts.flatMap((text) => [...text.matchAll(/\bpackaged\('([^']+)', '([^']+)'\)/g)]);
  if (found.length === 0) throw new Error('No page uses a package: has packaged() another name?');
  return found.map(([, name, path]) => [name, path]);
}

/** Copies a browser build with the licence and notices of its package, so the package itself is not needed. */
function vendor(name, path) {
  const from = dirname(findPackageJSON(name, import.meta.url));
  const to = join(dist, 'web/vendor', name);
  mkdirSync(to, { recursive: true });
  const legal = readdirSync(from).filter(
    (file) => /^(licen[cs]e|notice)/i.test(file) || file === `${path}.LICENSE.txt`,
  );
  for (const file of [path, 'package.json', ...legal]) cpSync(join(from, file), join(to, file), { recursive: true });
}
