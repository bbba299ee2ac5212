import { notFound } from '../errors.ts';
import { TYPE_SCHEMAS, type TypeSchema } from '../model/fields/schema-ids.ts';
import type { RequestContext } from './request/request-context.ts';

/** The JSON Schemas of bodies (contract §5): the same for every caller with a key. */
export class Schemas {
  readonly #all: readonly TypeSchema[];

  constructor(ctx: RequestContext) {
    this.#all = ctx.readStores() && TYPE_SCHEMAS;
  }

  list(): readonly TypeSchema[] {
    return this.#all;
  }

  get(id: string): TypeSchema {
    const found = this.#all.find((schema) => schema.id === id);
    if (!found) throw notFound('schema', id);
    return found;
  }
}
