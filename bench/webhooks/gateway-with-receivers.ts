import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { OURS, type Place, type Running, startContestant } from '../contestants.ts';
import type { Deliveries } from './receivers-process.ts';

/** Keys of the demo data. */
export const KEYS = { client: 'demo-client-key', vendor: 'demo-vendor-key', admin: 'demo-admin-key' } as const;

/** A gateway, and receivers of its webhooks in a separate process. */
export class GatewayWithReceivers {
  readonly gateway: Running;
  /** The URL of the receivers: /living/… responds at once, /hanging/… never does. */
  readonly receiversUrl: string;
  readonly #receivers: ChildProcess;

  private constructor(gateway: Running, receivers: ChildProcess, port: number) {
    this.gateway = gateway;
    this.receiversUrl = `http://127.0.0.1:${port}`;
    this.#receivers = receivers;
  }

  static async start(place: Place, settings: Readonly<Record<string, string>> = {}): Promise<GatewayWithReceivers> {
    const gateway = await startContestant({ ...OURS, settings }, place);
    const receivers = fork(join(import.meta.dirname, 'receivers-process.ts'));
    const [port] = await once(receivers, 'message');
    return new GatewayWithReceivers(gateway, receivers, port);
  }

  /** The deliveries to the living receivers since the last call. */
  async deliveries(): Promise<Deliveries> {
    this.#receivers.send('deliveries');
    const [deliveries] = await once(this.#receivers, 'message');
    return deliveries;
  }

  /** Posts to the gateway and returns the id of the created entity. */
  async post(path: string, body: object, key: string): Promise<string> {
    const response = await fetch(`${this.gateway.url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { readonly id: string }).id;
  }

  async stop(): Promise<void> {
    this.#receivers.kill();
    await this.gateway.stop();
  }
}

const MEGABYTE = 1024 * 1024;

export const megabytes = (bytes: number): number => Math.round(bytes / MEGABYTE);
