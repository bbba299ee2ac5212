import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PROGRAM } from '../../model/command-line.ts';
import { refuseAllBut } from '../arguments/words.ts';
import { packageNews } from './outdated.ts';

export const USAGE = `${PROGRAM} check [--outdated]`;

const root = new URL('../../../', import.meta.url);

/** Generated files that are committed: the file, its expected content, and the command that writes it. */
const generated = [
  {
    file: 'schema/schema.graphql',
    command: 'npm run schema',
    text: async () => (await import('./schema.ts')).printedSchema(),
  },
  {
    file: 'docs/endpoints.md',
    command: 'npm run routes -- --write',
    text: async () => (await import('./routes.ts')).endpointsPage(),
  },
  {
    file: 'web/dashboard/operations.d.ts',
    command: 'npm run operations',
    text: async () => (await import('./operations.ts')).operationTypes(),
  },
];

/** A named check; it resolves to its findings, or to an empty text if all is well. */
export type Step = readonly [name: string, run: () => Promise<string>];

const tools: readonly Step[] = [
  ['style', () => tool('biome', 'check', '.')],
  ['types', () => tool('tsc')],
  ['types of the dashboard', () => tool('tsc', '-p', 'web/dashboard')],
];

/** Checks that the generated files of a folder are up to date. */
export const generatedFiles = (folder: URL = root): readonly Step[] =>
  generated.map((each) => [each.file, () => upToDate(each, folder)]);

/** Runs every check, even after a failure; 1 if any failed. --outdated also lists packages that are behind. */
export async function run(args: readonly string[]): Promise<number> {
  refuseAllBut(['--outdated'], args);
  const code = await carryOut([...tools, ...generatedFiles()]);
  if (args.includes('--outdated')) for (const line of await packageNews()) console.log(line);
  return code;
}

/** Runs the steps one by one and prints their findings at the end; 1 if there are any. */
export async function carryOut(steps: readonly Step[]): Promise<number> {
  const failures: string[] = [];
  for (const [name, step] of steps) {
    const failure = await step().catch((error: Error) => error.message);
    if (failure !== '') failures.push(`${name}: ${failure}`);
    else console.log(`${name}: good`);
  }
  for (const failure of failures) console.error(failure);
  return failures.length === 0 ? 0 : 1;
}

/** Runs a tool; empty if it succeeds. */
async function tool(name: string, ...args: string[]): Promise<string> {
  const script = fileURLToPath(new URL('scripts/run.mjs', root));
  const child = spawn(process.execPath, [script, name, ...args], { cwd: fileURLToPath(root), stdio: 'inherit' });
  const [code] = await once(child, 'close');
  return code === 0 ? '' : `${[name, ...args].join(' ')} found problems`;
}

/** Empty if the file is what its command would write. */
async function upToDate({ file, command, text }: (typeof generated)[number], folder: URL): Promise<string> {
  const [committed, wanted] = await Promise.all([readFile(new URL(file, folder), 'utf8').catch(() => ''), text()]);
  return committed === wanted ? '' : `not up to date; \`${command}\` writes it anew`;
}
