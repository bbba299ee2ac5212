import type { JsonObject } from '../../src/model/json.ts';
import type { JobBody, Named } from './job-validation.ts';

interface Reference extends Named {
  readonly catalog: string;
}

/** The records that a job references. */
export function referencesOf({ location, transports = [], cargo, vendor, client }: JobBody): Reference[] {
  return [
    ...named('locations', location),
    ...transports.flatMap((transport) => named('transports', transport)),
    ...named('products', cargo?.product),
    ...named('uom', cargo?.uom),
    ...named('vendors', vendor),
    ...named('clients', client),
  ];
}

/** The job with each reference replaced by the record's id. */
export function withRecordIds(body: JobBody, ids: ReadonlyMap<string, string>): JsonObject {
  const { location, transports, cargo, vendor, client } = body;
  const id = (catalog: string, reference: Named) => ids.get(`${catalog} ${reference.xref}`);
  return {
    ...body,
    ...(location && { location: id('locations', location) }),
    ...(transports && { transports: transports.map((transport) => id('transports', transport)) }),
    ...(cargo && {
      cargo: {
        ...cargo,
        ...(cargo.product && { product: id('products', cargo.product) }),
        ...(cargo.uom && { uom: id('uom', cargo.uom) }),
      },
    }),
    ...(vendor && { vendor: id('vendors', vendor) }),
    ...(client && { client: id('clients', client) }),
  } as JsonObject;
}

const named = (catalog: string, reference: Named | undefined): Reference[] =>
  reference ? [{ catalog, ...reference }] : [];
