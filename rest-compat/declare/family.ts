import type { IncomingMessage } from 'node:http';
import type { ServiceError } from '../../src/errors.ts';

/** The syntax of filters in the query string: `filter[field]=`, `field=`, or none. */
export type FilterStyle = 'bracketed' | 'bare' | 'none';

/** What the endpoints of one REST family have in common (interface, "Endpoints"). */
export interface Family {
  readonly name: string;
  readonly title: string;
  /** A five-minute introduction, as Markdown. */
  readonly introduction?: string;
  /** The base path of every route of the family. */
  readonly base: string;
  readonly filterStyle: FilterStyle;
  /** The default `limit` of a list; absent, the whole list is streamed. */
  readonly defaultLimit?: number;
  /** The supported value of Accept-Version, for OpenAPI; `check` enforces it. */
  readonly version?: string;
  /** A check of the headers before the query string is parsed, such as Accept-Version. */
  readonly check?: (request: IncomingMessage) => ServiceError | undefined;
}
