import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface GatewayProcess {
  readonly gateway: ChildProcess;
  readonly url: string;
}

/** Starts a gateway in a process of its own, which can be killed; it is there when it serves. */
export async function startGatewayProcess(
  uri: string,
  database: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<GatewayProcess> {
  const gateway = spawn(process.execPath, ['src/main.ts'], {
    env: {
      ...process.env,
      PORT: '0',
      BASE_URL: '', // vitest sets it
      ENVIRONMENT: 'demo',
      MONGODB_URI: uri,
      MONGODB_DATABASE: database,
      LOG_LEVEL: 'warn',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface(gateway.stdout)) {
    const [, url] = /^Ready: .* serves (\S+)$/.exec(line) ?? [];
    if (url) return { gateway, url };
  }
  throw new Error('the gateway did not start');
}
