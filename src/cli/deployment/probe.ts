import { readConfig } from '../../config.ts';
import { PROGRAM } from '../../model/command-line.ts';
import { refuseAllBut } from '../arguments/words.ts';

export const USAGE = `${PROGRAM} probe [--live]`;

const TIMEOUT_MS = 4_000;

/** Asks the service on PORT whether it is ready or, with --live, whether it is alive: 0 if so. For containers without a shell. */
export async function run(args: readonly string[]): Promise<number> {
  refuseAllBut(['--live'], args);
  const { host, port } = readConfig(process.env);
  const path = args.includes('--live') ? '/livez' : '/readyz';
  try {
    const response = await fetch(`http://${reachable(host)}:${port}${path}`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    console.log(await response.text());
    return response.ok ? 0 : 1;
  } catch (error) {
    const { message, cause } = error as Error;
    console.error(`${path} on port ${port}: ${cause instanceof Error ? cause.message : message}`);
    return 1;
  }
}

/** The local address of a service, which may listen on all addresses. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
