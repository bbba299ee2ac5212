// node scripts/sbom.mjs > sbom.cdx.json
// The service's run-time packages as a CycloneDX document, including those whose browser builds it ships.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(fileURLToPath(import.meta.url), '..', '..');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const all = JSON.parse(
  execFileSync(npm, ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  }),
);
const { name, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const pages = globSync('src/pages/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
const carried = pages.flatMap((text) => [...text.matchAll(/\bpackaged\('([^']+)'/g)].map(([, name]) => name));
const wanted = new Set([...Object.keys(dependencies), ...carried]);

const below = new Map(all.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
const application = all.metadata.component['bom-ref'];
all.metadata.component.name = name; // npm uses the folder's name
const nameOf = (ref) => ref.slice(0, ref.lastIndexOf('@'));
const kept = new Set([application]);
const waiting = below.get(application).filter((ref) => wanted.has(nameOf(ref)));
below.set(application, [...waiting]);
for (const ref of waiting) {
  if (kept.has(ref)) continue;
  kept.add(ref);
  waiting.push(...(below.get(ref) ?? []));
}
const isAside = ({ name }) => name !== 'cdx:npm:package:development';
process.stdout.write(
  `${JSON.stringify({
    ...all,
    components: all.components
      .filter((component) => kept.has(component['bom-ref']))
      .map((component) => ({ ...component, properties: (component.properties ?? []).filter(isAside) })),
    dependencies: [...kept].map((ref) => ({ ref, dependsOn: below.get(ref) ?? [] })),
  })}\n`,
);
