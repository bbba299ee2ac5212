import type { Node, View } from './view.ts';

/** What an endpoint answers when its operation succeeds. */
export type Reply =
  | {
      readonly kind: 'one';
      readonly status: 200 | 201;
      readonly view: View;
      /** The name of the GraphQL scalar whose schema describes `body` in the answer, for OpenAPI. */
      readonly body: string | undefined;
      /** The entity that was created has a path of its own, below that of the request. */
      readonly located?: boolean;
      readonly cookie?: CookieFields;
    }
  | { readonly kind: 'list'; readonly status: 200; readonly view: View; readonly body: string | undefined }
  /** One numbered page of a list, with the number of all. */
  | { readonly kind: 'search'; readonly status: 200; readonly view: View; readonly body: string | undefined }
  /** A plain list, in one piece. */
  | { readonly kind: 'all'; readonly status: 200 | 201; readonly view: View; readonly body: string | undefined }
  | ({ readonly kind: 'outcome'; readonly status: 201 } & Outcome)
  | ({ readonly kind: 'report'; readonly status: 200 } & Report)
  | { readonly kind: 'content'; readonly status: 200; readonly field: string }
  | { readonly kind: 'nothing'; readonly status: 204; readonly clears?: string };

/** A cookie that is set with the answer, from fields of the entity. */
export interface CookieFields {
  readonly name: string;
  readonly value: string;
  readonly expires: string;
}

/** What came of a request that makes an entity unless it is there already. */
export interface Outcome {
  readonly view: View;
  readonly body?: string;
  /** The field that holds the entity. */
  readonly entity: string;
  /** The boolean field that says whether it is new. */
  readonly created: string;
}

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
export const created = (view: View, body?: string): Reply => ({
  kind: 'one',
  status: 201,
  view,
  body,
  located: true,
});

/** The entity that was created, in a family that has no path for a single one: 201 with its ETag. */
export const createdUnaddressed = (view: View, body?: string): Reply => ({ kind: 'one', status: 201, view, body });

/** What was created, and a cookie that is made of it: 201. */
export const createdWithCookie = (view: View, cookie: CookieFields): Reply => ({
  kind: 'one',
  status: 201,
  view,
  body: undefined,
  cookie,
});

/** An array of entities, streamed when it is long: 200. */
export const list = (view: View, body?: string): Reply => ({ kind: 'list', status: 200, view, body });

/** One page of a list in the search result wrapper; the operation selects `totalCount` and `nodes`: 200. */
export const search = (view: View, body?: string): Reply => ({ kind: 'search', status: 200, view, body });

/** An array of entities that the operation gives as a whole: 200. */
export const all = (view: View, body?: string): Reply => ({ kind: 'all', status: 200, view, body });

/** An array of the entities that were created: 201. */
export const allCreated = (view: View, body?: string): Reply => ({ kind: 'all', status: 201, view, body });

/** The entity with its ETag, and 201 with the path as its Location when it is new, else 200. */
export const createdUnlessThere = (parts: Outcome): Reply => ({ kind: 'outcome', status: 201, ...parts });

/** A report that is never cached: 200 when all is well, 503 in the same form when it is not. */
export const report = (parts: Report): Reply => ({ kind: 'report', status: 200, ...parts });

/** The contents of a file, which the named field holds: 200, or 206 for a range. */
export const content = (field: string): Reply => ({ kind: 'content', status: 200, field });

/** Success without a body: 204. */
export const noContent: Reply & { kind: 'nothing' } = { kind: 'nothing', status: 204 };

/** Success without a body, which takes a cookie away: 204. */
export const noContentWithoutCookie = (name: string): Reply => ({ ...noContent, clears: name });
