/** What a JSON value in a request body must be. */
export type BodyKind = 'object' | 'objects' | 'string' | 'uuid';

/** A filter with a parameter of its own: the field it compares, and whether the word `none` means "has no value". */
export interface NamedFilter {
  readonly field: string;
  readonly none?: boolean;
  readonly description?: string;
}

/** Where the value of one GraphQL variable comes from: one exact place of the request, described as data. */
export type Source =
  | {
      readonly from: 'path';
      readonly name: string;
      readonly description?: string;
      /** The only values that there are; with any other the answer is 404. */
      readonly among?: readonly string[];
    }
  | { readonly from: 'query'; readonly name: string; readonly description?: string }
  | {
      readonly from: 'body';
      /** The member of the request body; undefined when the body as a whole is meant. */
      readonly member?: string;
      /** Where that member is no object, the body as a whole is taken (contract §4, v2 POST). */
      readonly orWhole?: boolean;
      readonly kind: BodyKind;
      /** The body may be an urlencoded form as well as JSON. */
      readonly orForm?: boolean;
      /** An explicit JSON null is sent on as null; otherwise null counts as a fault. */
      readonly nullable?: boolean;
      readonly description?: string;
    }
  /** The file of a multipart form: the operations that take it in and give it up, as a user could not send them. */
  | { readonly from: 'file'; readonly upload: string; readonly discard: string }
  | { readonly from: 'form'; readonly name: string; readonly description?: string }
  | { readonly from: 'if-match' }
  | { readonly from: 'sort' }
  | { readonly from: 'filters'; readonly named: Readonly<Record<string, NamedFilter>> }
  | { readonly from: 'limit' | 'offset' | 'cursor' | 'paging' }
  /** The size of a numbered page, and how many rows the pages before it have; `most` is the largest size. */
  | { readonly from: 'page-size' | 'page-start'; readonly most: number }
  /** A JSON array of texts in the query string, of at most so many. */
  | { readonly from: 'texts'; readonly name: string; readonly most: number; readonly description: string }
  | { readonly from: 'constant'; readonly value: unknown };

export type Sources = Readonly<Record<string, Source>>;

/** A parameter of the path. One of GraphQL type UUID that is not a UUID makes the answer 404. */
export const fromPath = (name: string, description?: string): Source => ({
  from: 'path',
  name,
  ...(description !== undefined && { description }),
});

/** A parameter of the path with few values, which are all known; any other value makes the answer 404. */
export const fromPathAmong = (name: string, among: readonly string[], description: string): Source => ({
  from: 'path',
  name,
  among,
  description,
});

/** A text in the query string, given at most once. An empty one counts as absent. */
export const fromQuery = (name: string, description?: string): Source => ({
  from: 'query',
  name,
  ...(description !== undefined && { description }),
});

/** The request body as a whole, which must be a JSON object, or one of its members. */
export const fromBody = (
  member?: string,
  options: { kind?: BodyKind; nullable?: boolean; description?: string } = {},
): Source => ({ from: 'body', kind: 'object', ...options, ...(member !== undefined && { member }) });

/** The request body as a whole: a JSON object, or an urlencoded form whose fields are read by the types of the body's members. */
export const fromBodyOrForm: Source = { from: 'body', kind: 'object', orForm: true };

/** The member of that name where it is an object, else the body as a whole. */
export const fromBodyOrMember = (member: string): Source => ({ from: 'body', member, orWhole: true, kind: 'object' });

/** `previous_version_id` of a v2 PATCH: a UUID, or null for "was never changed"; left out, nothing is checked. */
export const fromPreviousVersion: Source = fromBody('previous_version_id', {
  kind: 'uuid',
  nullable: true,
  description: 'The version that the change is based on; null for an entity that was never changed.',
});

/**
 * The one file of a multipart form, in the part `file`: the id under which `upload` took it in while it arrived. Both
 * operations get the endpoint's variables of the same names, and the file itself, or its id, as `$file`.
 */
export const fromFile = (upload: string, discard: string): Source => ({ from: 'file', upload, discard });

/** A text field of a multipart form, or the query parameter of that name. An empty one counts as absent. */
export const fromForm = (name: string, description?: string): Source => ({
  from: 'form',
  name,
  ...(description !== undefined && { description }),
});

/** The strong tags of If-Match, or `*`; an absent header leaves the variable out. */
export const fromIfMatch: Source = { from: 'if-match' };

/** `sort=field:asc,other:desc` as a list of SortField. */
export const fromSort: Source = { from: 'sort' };

/** The filters of a list, in the style of the family, as a list of FieldFilter; `named` have parameters of their own. */
export const fromFilters = (named: Readonly<Record<string, NamedFilter>> = {}): Source => ({ from: 'filters', named });

/** How many items the list may have: the page size of the operation. */
export const fromLimit: Source = { from: 'limit' };

/** How many items the list leaves out at its start. */
export const fromOffset: Source = { from: 'offset' };

/** Where the operation goes on when a list is longer than one page; never sent by a client. */
export const fromCursor: Source = { from: 'cursor' };

/** Whether the list goes on by pages, so that the operation must tell where the next begins. */
export const fromPaging: Source = { from: 'paging' };

/** `resultsPerPage` of a search: from 1 to `most`, 25 when it is left out. */
export const fromPageSize = (most: number): Source => ({ from: 'page-size', most });

/** How many results stand on the pages before `page`, which counts from 1. */
export const fromPageStart = (most: number): Source => ({ from: 'page-start', most });

/** A JSON array of at most `most` texts in the query string: `["a","b"]`. */
export const fromTexts = (name: string, most: number, description: string): Source => ({
  from: 'texts',
  name,
  most,
  description,
});

/** A value that does not depend on the request. */
export const constant = (value: unknown): Source => ({ from: 'constant', value });
