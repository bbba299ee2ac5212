import { expect } from 'vitest';
import type { TestService } from '../service.ts';

/** Creates discharges of a vessel through the API. */
export class VoyageMaker {
  readonly #service: TestService;
  readonly path: string;

  constructor(service: TestService, workspace: string) {
    this.#service = service;
    this.path = `/v2/workspaces/${workspace}/documents`;
  }

  /** One without figures, or with this ratio of ship to shore. */
  async voyage(ratio?: number, vessels: readonly string[] = ['Aster']): Promise<string> {
    const parent = await this.put('job', {
      transports: vessels.map((name) => ({ name })),
      status: 'complete',
      activity: 'discharge',
    });
    if (ratio === undefined) return parent;
    await this.report(parent, 'source', 10_000 * ratio);
    await this.report(parent, 'destination', 10_000);
    return parent;
  }

  async report(parent: string, direction: 'source' | 'destination', value: number): Promise<void> {
    await this.put('quantityResult', {
      parent,
      direction,
      measurements: [{ code: 'TCV', value, uom: { name: 'm3' } }],
    });
  }

  async put(type: string, body: object | readonly object[], path = this.path): Promise<string> {
    const document = { type: `svc.inspection.${type}`, body };
    const { status, body: made, text } = await this.#service.ask('POST', path, { as: 'vendor', body: document });
    expect(status, text).toBe(201);
    return made.id;
  }
}
