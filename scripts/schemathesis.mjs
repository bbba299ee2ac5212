// npm run schemathesis [-- ADDRESS [FAMILY …]]: checks a running service against its OpenAPI documents; see CONTRIBUTING.md.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { entitiesOf } from './schemathesis-entities.mjs';

const [address = 'http://127.0.0.1:4000', ...asked] = process.argv.slice(2);
const key = process.env.SCHEMATHESIS_KEY ?? 'demo-admin-key';
const families = asked.length > 0 ? asked : ['bridge', 'reference', 'legacy', 'v2'];

if (spawnSync('schemathesis', ['--version']).error) {
  console.error('schemathesis is not installed. It comes from PyPI: python3 -m venv .cache/venv, then');
  console.error('.cache/venv/bin/pip install schemathesis, and .cache/venv/bin on the PATH.');
  process.exit(1);
}

/** How often a path contains the id of an entity, where it could contain any id. */
const OFTEN = 0.8;

const bound = (name, use) => `"path.${name}" = { dictionary = "${name}-${use}", probability = ${OFTEN} }`;

/** The configuration with entity ids: the last parameter of a deletion is the id of an entity that may be deleted. */
async function configurationFor(family) {
  const entities = await entitiesOf(family, { address, key });
  const names = Object.keys(entities);
  const { paths } = await (await fetch(`${address}/openapi/${family}.json`)).json();
  const deletions = Object.keys(paths).flatMap((path) => {
    const last = [...path.matchAll(/\{(\w+)\}/g)].at(-1)?.[1];
    if (!paths[path].delete || !names.includes(last)) return [];
    return ['[[operations]]', `include-name = "DELETE ${path}"`, `parameters = { ${bound(last, 'goes')} }`];
  });
  return [
    readFileSync(new URL('../schemathesis.toml', import.meta.url), 'utf8'),
    ...Object.entries(entities).flatMap(([name, ids]) =>
      Object.entries(ids).flatMap(([use, id]) => [`[dictionaries.${name}-${use}]`, `values = ["${id}"]`]),
    ),
    '[parameters]',
    ...names.map((name) => bound(name, 'stays')),
    ...deletions,
  ].join('\n');
}

const folder = mkdtempSync(join(tmpdir(), 'exchange-schemathesis-'));
const outcomes = [];
for (const family of families) {
  const file = join(folder, `${family}.toml`);
  writeFileSync(file, await configurationFor(family));
  const document = `${address}/openapi/${family}.json`;
  const args = ['--config-file', file, 'run', document, '-H', `Authorization: Bearer ${key}`];
  outcomes.push(spawnSync('schemathesis', args, { stdio: 'inherit' }).status ?? 1);
}
rmSync(folder, { recursive: true });
process.exitCode = Math.max(...outcomes);
