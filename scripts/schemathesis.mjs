// npm run schemathesis [-- ADDRESS]: checks a running service against each of its OpenAPI documents; see CONTRIBUTING.md.
import { spawnSync } from 'node:child_process';

const [address = 'http://127.0.0.1:4000'] = process.argv.slice(2);
const key = process.env.SCHEMATHESIS_KEY ?? 'demo-admin-key';
const FAMILIES = ['bridge', 'reference', 'legacy', 'v2'];

if (spawnSync('schemathesis', ['--version']).error) {
  console.error('schemathesis is not installed. It comes from PyPI: python3 -m venv .cache/venv, then');
  console.error('.cache/venv/bin/pip install schemathesis, and .cache/venv/bin on the PATH.');
  process.exit(1);
}
const outcomes = FAMILIES.map((family) => {
  const args = ['run', `${address}/openapi/${family}.json`, '-H', `Authorization: Bearer ${key}`];
  return spawnSync('schemathesis', args, { stdio: 'inherit' }).status ?? 1;
});
process.exitCode = Math.max(...outcomes);
