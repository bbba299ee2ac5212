import type { View } from './view.ts';

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
  | { readonly kind: 'nothing'; readonly status: 204 };

/** One entity with its ETag: 200. */
export const one = (view: View, body?: string): Reply => ({ kind: 'one', status: 200, view, body });

/** The entity that was created, with its ETag and Location: 201. */
export const created = (view: View, body?: string): Reply => ({ kind: 'one', status: 201, view, body });

/** An array of entities, streamed when it is long: 200. */
export const list = (view: View, body?: string): Reply => ({ kind: 'list', status: 200, view, body });

/** Success without a body: 204. */
export const noContent: Reply = { kind: 'nothing', status: 204 };
