import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const { BASE_URL: _vite, MONGODB_URI: _other, ...inherited } = process.env;

describe("a gateway that cannot write its address to its data folder's lock", () => {
  it('logs that, becomes ready, and stops on a signal', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'exchange-full-lock-'));
    const child = spawn(process.execPath, [main], {
      env: { ...inherited, DATA_DIR: folder, PORT: '0', ENVIRONMENT: 'demo', METRICS_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const lock = join(folder, 'gateway.lock');
    try {
      await vi.waitFor(() => expect(existsSync(lock)).toBe(true), { timeout: 60_000 });
      await vi.waitFor(() => symlinkSync('/dev/full', `${lock}.${child.pid}`), { timeout: 20_000 });
      await vi.waitFor(() => expect(said).toMatch(/^Ready: /m), { timeout: 90_000 });
      const warned = () => said.split('\n').filter((line) => line.includes('ENOSPC'));
      await vi.waitFor(() => expect(warned()).toHaveLength(1), { timeout: 20_000 });
      expect(JSON.parse(warned()[0] ?? '')).toMatchObject({ level: 40 });
    } finally {
      child.kill('SIGTERM');
      await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    }
    expect(child.exitCode).toBe(0);
  }, 180_000);
});
