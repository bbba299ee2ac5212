import type { JsonObject } from '../model/json.ts';
import type { Product, Region } from './trade-words.ts';

/** A job in progress, as the inspector on board sees it. */
export interface PortCall {
  readonly body: JsonObject;
  readonly product: Product;
  readonly region: Region;
  readonly arrival: Date;
  /** When the last papers are signed, which may be later than estimated. */
  readonly end: Date;
}
