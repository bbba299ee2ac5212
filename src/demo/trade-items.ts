import type { JsonObject } from '../model/json.ts';

/** One job as the cargo owner's system would post it: catalog references by xref and name. */
export interface TradeJob {
  readonly workspace: number;
  readonly createdAt: Date;
  readonly type: string;
  readonly body: JsonObject;
}

/** Something that the inspection company's system reports for a job. */
export interface TradeResult {
  /** The job's place in the list. */
  readonly job: number;
  readonly createdAt: Date;
  readonly type: string;
  /** Without the parent, which gets its id when it is written. */
  readonly body: JsonObject;
}
