import { execFile, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO, quickHash } from '../auth/sign-in.ts';
import { serviceFixture, workspaceFixture } from '../service.ts';
import document from './bodies/document.json' with { type: 'json' };
import { startRelay } from './relay.ts';

const run = promisify(execFile);

interface Library {
  readonly name: string;
  readonly command: string;
  /** Fails if the library is not installed. */
  readonly probe: readonly string[];
  readonly program: readonly string[];
  /** Whether it requests compression by default. */
  readonly compresses: boolean;
}

const node = (name: string): Library => ({
  ...{ name, command: process.execPath, probe: ['--version'], program: [`node/${name}.ts`] },
  compresses: true,
});

const LIBRARIES: readonly Library[] = [
  { name: 'curl', command: 'bash', probe: ['-c', 'curl --version'], program: ['curl/inspection.sh'], compresses: true },
  ...['requests', 'httpx'].map((name) => ({
    ...{ name, command: 'python3', probe: ['-c', `import ${name}`], program: [`python/${name}_client.py`] },
    compresses: true,
  })),
  { name: 'Go net/http', command: 'go', probe: ['version'], program: ['run', 'go/client.go'], compresses: true },
  {
    name: 'Java java.net.http',
    command: 'java',
    probe: ['-version'],
    program: ['java/Client.java'],
    compresses: false,
  },
  ...['axios', 'undici', 'got'].map(node),
];

/** Why a library cannot be used on this machine; undefined if it can. */
function missing({ command, probe }: Library): string | undefined {
  const { error, status, stderr } = spawnSync(command, [...probe], { encoding: 'utf8' });
  if (error) return error.message;
  return status === 0 ? undefined : (stderr.trim().split('\n').at(-1) ?? `${command} ended with ${status}`);
}

const service = serviceFixture();
const workspace = workspaceFixture(service);
const folder = mkdtempSync(join(tmpdir(), 'exchange-clients-'));
const file = join(folder, 'certificate.bin');
const bytes = randomBytes(3_000_000);

beforeAll(async () => {
  writeFileSync(file, bytes);
  // All sign in at once, and real hashes would keep some waiting too long on a busy machine.
  await service.stores.users.update(DEMO.username, { password: quickHash(DEMO.password) });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe.concurrent('an inspection by', () => {
  for (const [index, library] of LIBRARIES.entries()) {
    const reason = missing(library);
    if (reason !== undefined) {
      console.warn(`The client ${library.name} is not tested, because it is not on this machine: ${reason}`);
      it.skip(`${library.name}, which is not on this machine: ${reason}`);
      continue;
    }
    it(library.name, { timeout: 300_000 }, async () => {
      await using relay = await startRelay(service.url);
      const env = {
        ...process.env,
        PYTHONDONTWRITEBYTECODE: '1',
        LC_ALL: 'C.UTF-8', // Java writes in the locale's encoding, which may be ASCII
        EXCHANGE_URL: relay.url,
        WORKSPACE: workspace.id,
        FILE: file,
        BODIES: join(import.meta.dirname, 'bodies'),
        MARK: `NL RTM/${index}`,
      };
      const { stdout } = await run(library.command, [...library.program], { cwd: import.meta.dirname, env });
      const { encoding, opened = relay.connections, ...seen } = JSON.parse(stdout);
      expect(seen).toEqual(WANTED);
      expect(encoding).toMatch(library.compresses ? /^(br|gzip)$/ : /^$/);
      expect(opened).toBeLessThan(8); // for over twenty requests; one that is idle for seconds is closed
    });
  }
});

const sha256 = createHash('sha256').update(bytes).digest('hex');

/** What every client must see. */
const WANTED = {
  ...{ signIn: 201, username: 'client@demo.example' },
  ...{ port: 201, portName: 'Rotterdam' },
  ...{ dataApiJob: 201, legacyJob: 201, v2Job: 201, notes: document.body.notes },
  ...{ again: 201, sameId: true, replayed: 'true' },
  ...{ list: 200, listed: true, redirects: 0 },
  ...{ notModified: 304, changed: 200, stale: 412 },
  ...{ file: 201, fileSha256: sha256, attachment: 201, attachmentSha256: sha256, refused: 404 },
};
