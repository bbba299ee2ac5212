import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** Puts only the packages a service needs to run into a folder's node_modules, as `npm ci --omit=dev` does. */
export function installProduction(folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean }>>;
  };
  for (const [path, { dev, optional }] of Object.entries(packages)) {
    if (dev || optional || !/^node_modules\/(@[^/]+\/)?[^/]+$/.test(path)) continue; // nested ones come with their owners
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(root, path), join(folder, path));
  }
}
