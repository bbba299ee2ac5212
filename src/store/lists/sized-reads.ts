import type { Rows } from '../entities/row-reader.ts';

/** What the replies to all reads of one tenant that are under way may have together, in bytes. */
const UNDER_WAY_BYTES = 64 * 1024 * 1024;
/** What a reply is taken to have while there was none yet: so many are under way at first. */
const UNKNOWN_BYTES = UNDER_WAY_BYTES / 8;

/** The reads of one tenant. */
class Reads {
  #underWay = 0;
  #replyBytes = UNKNOWN_BYTES;
  readonly #waiting: (() => void)[] = [];

  /** Whether there is room for a further one; there is always room for one. */
  get hasRoom(): boolean {
    return this.#underWay === 0 || (this.#underWay + 1) * this.#replyBytes <= UNDER_WAY_BYTES;
  }

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  begin(): void {
    this.#underWay += 1;
  }

  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Smaller replies are believed bit by bit, larger ones at once. */
  learn({ nodes }: Rows): void {
    let bytes = 0;
    for (const { byteLength } of nodes) bytes += byteLength;
    this.#replyBytes = Math.max(bytes, this.#replyBytes / 2);
  }

  end(): void {
    this.#underWay -= 1;
    while (this.#waiting.length > 0 && this.hasRoom) {
      this.begin();
      this.#waiting.shift()?.();
    }
  }
}

/**
 * Lets lists be read as many at a time as their replies are small, for each tenant: how large a reply is, MongoDB tells with it alone,
 * so it is judged by those before while some are under way. A gateway that receives hundreds of megabytes at once answers nobody else.
 */
export class SizedReads {
  readonly #byTenant = new Map<string, Reads>();

  async run(tenant: string, read: () => Promise<Rows>): Promise<Rows> {
    const reads = this.#byTenant.get(tenant) ?? new Reads();
    this.#byTenant.set(tenant, reads);
    if (reads.hasRoom) reads.begin();
    else await reads.wait();
    try {
      const rows = await read();
      reads.learn(rows);
      return rows;
    } finally {
      reads.end();
      if (reads.isIdle) this.#byTenant.delete(tenant);
    }
  }
}
