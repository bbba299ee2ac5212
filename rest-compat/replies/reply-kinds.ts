import type { Reply } from '../declare/reply.ts';
import { arrayKind } from './array.ts';
import { entityKind } from './entity.ts';
import { feedKind } from './feed.ts';
import { fileKind } from './file.ts';
import { listKind } from './lists/list.ts';
import { pageKind } from './lists/page.ts';
import { nothingKind } from './nothing.ts';
import type { ReplyKind } from './reply-kind.ts';
import { reportKind } from './report.ts';
import { searchKind } from './search.ts';
import { upsertKind } from './upsert.ts';

type Kinds = { readonly [Kind in Reply['kind']]: ReplyKind<Extract<Reply, { readonly kind: Kind }>> };

/** Every kind of reply; the compiler rejects a missing one. */
const REPLY_KINDS: Kinds = {
  entity: entityKind,
  list: listKind,
  page: pageKind,
  search: searchKind,
  array: arrayKind,
  upsert: upsertKind,
  report: reportKind,
  feed: feedKind,
  file: fileKind,
  nothing: nothingKind,
};

/** The implementation of a reply's kind. */
export const kindOf = (reply: Reply): ReplyKind<Reply> => REPLY_KINDS[reply.kind] as ReplyKind<Reply>;
