import type { IncomingMessage } from 'node:http';
import type { ServiceError } from '../../src/errors.ts';

/** How filters stand in the query string: `filter[field]=`, `field=`, or not at all. */
export type FilterStyle = 'bracketed' | 'bare' | 'none';

/** What the endpoints of one REST family have in common (interface, "Endpoints"). */
export interface Family {
  readonly name: string;
  readonly title: string;
  /** Stands before every route of the family. */
  readonly base: string;
  readonly filterStyle: FilterStyle;
  /** The `limit` of a list that names none; absent: the whole list, streamed. */
  readonly defaultLimit?: number;
  /** The version that requests may ask for in Accept-Version, for OpenAPI; `check` looks at it. */
  readonly version?: string;
  /** A check of the headers before the query is read, such as the version asked for. */
  readonly check?: (request: IncomingMessage) => ServiceError | undefined;
}
