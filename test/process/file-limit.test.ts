import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, inject, it, vi } from 'vitest';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');
const { BASE_URL: _vite, ...inherited } = process.env;

describe('a gateway out of file descriptors', () => {
  it('keeps running, and logs it once, since the clients it cuts off cannot', async () => {
    const settings = { MONGODB_URI: inject('mongoUri'), MONGODB_DATABASE: `test_files_${process.pid}`, PORT: '0' };
    const child = spawn('sh', ['-c', 'ulimit -n 90; exec "$0" "$1"', process.execPath, main], {
      env: { ...inherited, ...settings, ENVIRONMENT: 'production', METRICS_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const port = () => Number(/Ready: .* serves http:.*:(\d+)/.exec(said)?.[1]);
    await vi.waitFor(() => expect(port()).toBeGreaterThan(0), { timeout: 90_000 });
    const sockets: Socket[] = [];
    try {
      for (let i = 0; i < 150; i += 1) sockets.push(connect(port(), '127.0.0.1').on('error', () => {}));
      const warned = () => said.split('\n').filter((line) => line.includes('no more files can be opened'));
      await vi.waitFor(() => expect(warned()).toHaveLength(1), { timeout: 60_000 });
      expect(said).not.toContain('uncaught');
      expect(JSON.parse(warned()[0] ?? '')).toMatchObject({ level: 40, code: 'EMFILE' });
    } finally {
      for (const socket of sockets) socket.destroy();
      child.kill('SIGTERM');
    }
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});
