// Where openapi-python-client is installed this takes longer than 20 seconds: it loads for seconds, once for each document.
import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serviceFixture, workspaceFixture } from '../service.ts';

const run = promisify(execFile);
const FAMILIES = ['bridge', 'reference', 'legacy', 'v2'];

const service = serviceFixture();
const workspace = workspaceFixture(service);
const folder = mkdtempSync(join(tmpdir(), 'exchange-generated-'));
const sources = join(import.meta.dirname, 'generated');
const modules = join(import.meta.dirname, '..', '..', 'node_modules');
const documentOf = (family: string) => join(folder, `${family}.json`);
/** Where the clients of a language are generated: the programs import them from `generated/<family>`. */
const clientOf = (language: string, family: string) => join(folder, language, 'generated', family);
const inspect = (command: string, program: string) => {
  const env = { ...process.env, EXCHANGE_URL: service.url, WORKSPACE: workspace.id };
  return run(command, [join(folder, program)], { env });
};

beforeAll(async () => {
  cpSync(sources, folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const family of FAMILIES)
    writeFileSync(documentOf(family), (await service.ask('GET', `/openapi/${family}.json`)).text);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the client that @hey-api/openapi-ts generates', () => {
  beforeAll(async () => {
    const pairs = FAMILIES.flatMap((family) => [documentOf(family), clientOf('typescript', family)]);
    const { stdout, stderr } = await run(process.execPath, [join(sources, 'generate.ts'), ...pairs]);
    expect(stderr).toBe('');
    expect(stdout).not.toMatch(/warn|unsupported|skipp|not generated/i);
    const tsc = join(modules, 'typescript', 'bin', 'tsc');
    const args = ['-p', join(folder, 'typescript'), '--typeRoots', join(modules, '@types')];
    await run(process.execPath, [tsc, ...args]).catch(({ stdout: faults }) => expect(faults).toBe(''));
  }, 300_000);

  it.concurrent.each(FAMILIES)(
    'from /openapi/%s.json does an inspection, and its types fit',
    { timeout: 120_000 },
    async (family) => {
      await inspect(process.execPath, `typescript/${family}.ts`);
    },
  );
});

const GENERATOR = 'openapi-python-client';
const { error, stdout: version } = spawnSync(GENERATOR, ['--version'], { encoding: 'utf8' });

describe.skipIf(error)(`the client that ${version?.trim() || GENERATOR} generates`, () => {
  beforeAll(() => {
    mkdirSync(join(folder, 'python', 'generated'));
    writeFileSync(join(folder, 'config.yml'), 'post_hooks: []\n'); // formatting is not of interest
  });

  it.concurrent.each(FAMILIES)('from /openapi/%s.json does an inspection', { timeout: 120_000 }, async (family) => {
    const [config, path, output] = [join(folder, 'config.yml'), documentOf(family), clientOf('python', family)];
    const args = ['--config', config, '--path', path, '--output-path', output, '--meta', 'none', '--fail-on-warning'];
    await run(GENERATOR, ['generate', ...args]);
    await inspect('python3', `python/${family}.py`);
  });
});

if (error)
  console.warn(`The clients of ${GENERATOR} are not tested, because it is not on this machine: ${error.message}`);
