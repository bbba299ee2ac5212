import type { BenchRequest, Operation } from '../rows/operation.ts';
import type { Stage } from '../stage.ts';
import { HttpLoad } from './http-load.ts';
import { type Round, shuffled } from './paired-rounds.ts';
import type { Services } from './services.ts';

/** The number of requests in a slice, which are sent concurrently. */
const AT_ONCE = 16;
/** The number of slices per variant in a round. */
const SLICES = 6;

interface SliceParts {
  readonly stage: Stage;
  readonly services: Services;
  readonly keys: readonly string[];
  readonly operation: Operation;
  /** The names of the variants, including the plain service: if it ran more often, it would find more of its code in caches. */
  readonly variants: readonly string[];
}

/** Sends slices of requests of one operation to the variants in turn. */
export class Slices {
  readonly #parts: SliceParts;
  readonly #loads: ReadonlyMap<string, HttpLoad>;
  #requests: readonly BenchRequest[] = [];
  #at = 0;

  constructor(parts: SliceParts) {
    const { services, keys, variants } = parts;
    this.#parts = parts;
    this.#loads = new Map(variants.map((name) => [name, new HttpLoad(services.urlOf(name), keys)]));
  }

  /** One round: a few slices of the same requests for each variant, in random order. */
  async round(): Promise<Round> {
    const { services, operation, variants } = this.#parts;
    await services.ask({ do: 'read' });
    for (let slice = 0; slice < SLICES; slice++) {
      const same = operation.once ? undefined : await this.#next();
      for (const variant of shuffled(variants)) {
        await this.#loads.get(variant)?.send(same ?? (await this.#next()));
      }
    }
    const used = await services.ask({ do: 'read' });
    return new Map(Object.entries(used).map(([name, microseconds]) => [name, microseconds / (SLICES * AT_ONCE)]));
  }

  close(): void {
    for (const load of this.#loads.values()) load.close();
  }

  /** The requests of the next slice; newly made if they cannot be sent twice. */
  async #next(): Promise<readonly BenchRequest[]> {
    const { stage, services, operation, variants } = this.#parts;
    if (this.#at + AT_ONCE > this.#requests.length) {
      if (operation.once || this.#requests.length === 0) {
        const turn = { ...stage.data, stores: stage.stores, url: services.urlOf(variants[0] ?? '') };
        const made = await operation.requests(turn);
        this.#requests = made.length < AT_ONCE ? Array.from({ length: AT_ONCE }, () => made).flat() : made;
      }
      this.#at = 0;
    }
    this.#at += AT_ONCE;
    return this.#requests.slice(this.#at - AT_ONCE, this.#at);
  }
}
