import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findMongod } from '../src/embedded-mongod/binary.ts';
import { projectCacheDir } from '../src/embedded-mongod/server.ts';

/** Starts a mongod on that port with its data in that folder, with its own defaults; returns a function to stop it. */
export async function bareMongod(
  folder: string,
  port: number,
  more: readonly string[] = [],
): Promise<() => Promise<void>> {
  const { path } = await findMongod({ cacheDir: projectCacheDir, env: process.env, log: () => {} });
  const args = ['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1', ...more];
  const mongod = spawn(path, args, { stdio: 'ignore' });
  return async () => {
    mongod.kill('SIGKILL');
    await once(mongod, 'exit');
  };
}
