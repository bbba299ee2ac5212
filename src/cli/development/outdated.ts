import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const root = new URL('../../../', import.meta.url);
/** The timeout of npm's queries to the registry. */
const PATIENCE_MS = 60_000;

interface Outdated {
  readonly current?: string;
  readonly latest: string;
}

/** Human-readable lines about packages that are behind their latest version or deprecated by their makers; never fails. */
export async function packageNews(): Promise<readonly string[]> {
  const lock = JSON.parse(await readFile(new URL('package-lock.json', root), 'utf8'));
  const found = await npmOutdated();
  const behind = found ? behindLines(found) : ['outdated: not known, since npm did not reach its registry'];
  return [...behind, ...deprecatedLines(lock.packages)];
}

/** A line for each direct dependency that has a later version. */
export const behindLines = (found: Readonly<Record<string, Outdated | readonly Outdated[]>>): readonly string[] =>
  Object.entries(found).flatMap(([name, one]) => {
    const [{ current = '', latest = '' } = {}] = [one].flat();
    return isLater(latest, current) ? [`outdated: ${name} ${current}, latest ${latest}`] : [];
  });

/** A line for each package of the lock file that its maker has deprecated. */
export const deprecatedLines = (
  packages: Readonly<Record<string, { readonly version?: string; readonly deprecated?: string }>>,
): readonly string[] =>
  Object.entries(packages).flatMap(([path, { version, deprecated }]) =>
    deprecated === undefined
      ? []
      : [`deprecated: ${path.replace(/^.*node_modules\//, '')} ${version ?? ''}: ${deprecated}`],
  );

/** Some packages tag an older line as their latest. */
const isLater = (latest: string, current: string): boolean =>
  latest.localeCompare(current, 'en', { numeric: true }) > 0;

function npmOutdated(): Promise<Readonly<Record<string, Outdated>> | undefined> {
  const options = { cwd: fileURLToPath(root), timeout: PATIENCE_MS };
  return new Promise((resolve) => {
    // npm exits with 1 when something is outdated
    execFile('npm', ['outdated', '--json', '--fetch-retries=0'], options, (_error, stdout) => {
      try {
        const found = JSON.parse(stdout.trim() || '{}');
        resolve('error' in found ? undefined : found);
      } catch {
        resolve(undefined);
      }
    });
  });
}
