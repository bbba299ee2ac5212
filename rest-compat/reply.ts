import type { Node, View } from './view.ts';

/** What an endpoint answers when its operation succeeds. */
export type Reply =
  | {
      readonly kind: 'one';
      readonly status: 200 | 201;
      readonly view: View;
      /** The name of the GraphQL scalar whose schema describes `body` in the answer, for OpenAPI. */
      readonly body: string | undefined;
    }
  | { readonly kind: 'list'; readonly status: 200; readonly view: View; readonly body: string | undefined }
  | ({ readonly kind: 'report'; readonly status: 200 } & Report)
  | { readonly kind: 'nothing'; readonly status: 204 };

/** A report on the service itself, which has an answer also when something is wrong. */
export interface Report {
  readonly view: View;
  /** The boolean field that says whether all is well. */
  readonly good: string;
  /** What is reported when the operation itself fails. */
  readonly failed: Node;
}

/** One entity with its ETag: 200. */
export const one = (view: View, body?: string): Reply => ({ kind: 'one', status: 200, view, body });

/** The entity that was created, with its ETag and Location: 201. */
export const created = (view: View, body?: string): Reply => ({ kind: 'one', status: 201, view, body });

/** An array of entities, streamed when it is long: 200. */
export const list = (view: View, body?: string): Reply => ({ kind: 'list', status: 200, view, body });

/** A report that is never cached: 200 when all is well, 503 in the same form when it is not. */
export const report = (parts: Report): Reply => ({ kind: 'report', status: 200, ...parts });

/** Success without a body: 204. */
export const noContent: Reply = { kind: 'nothing', status: 204 };
