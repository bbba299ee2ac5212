import type { ArrayReply } from '../replies/array.ts';
import type { EntityReply } from '../replies/entity.ts';
import type { FeedReply } from '../replies/feed.ts';
import type { FileReply } from '../replies/file.ts';
import type { ListReply } from '../replies/lists/list.ts';
import type { PageReply } from '../replies/lists/page.ts';
import type { NothingReply } from '../replies/nothing.ts';
import type { ReportReply } from '../replies/report.ts';
import type { SearchReply } from '../replies/search.ts';
import type { UpsertReply } from '../replies/upsert.ts';

export { array, createdArray } from '../replies/array.ts';
export { accepted, created, createdWithCookie, createdWithoutLocation, one } from '../replies/entity.ts';
export { feed } from '../replies/feed.ts';
export { fileContent } from '../replies/file.ts';
export { list } from '../replies/lists/list.ts';
export { pageOf } from '../replies/lists/page.ts';
export { noContentWithoutCookie } from '../replies/nothing.ts';
export { report } from '../replies/report.ts';
export { search } from '../replies/search.ts';
export { upsert } from '../replies/upsert.ts';

/** The response of an endpoint when its operation succeeds. */
export type Reply =
  | EntityReply
  | ListReply
  | PageReply
  | SearchReply
  | ArrayReply
  | UpsertReply
  | ReportReply
  | FeedReply
  | FileReply
  | NothingReply;
