import type { JsonObject } from '../model/json.ts';

/** One job as the cargo owner's system would post it: catalog references by xref and name. */
export interface TradeJob {
  readonly workspace: number;
  readonly createdAt: Date;
  readonly type: string;
  readonly body: JsonObject;
}

/** A specification as the cargo owner's system would post it. */
export interface TradeSpecification extends TradeJob {
  /** The xref of its product. */
  readonly product: string;
}

/** A result for a job, as reported by the inspection company's system. */
export interface TradeResult {
  /** The index of the job. */
  readonly job: number;
  readonly createdAt: Date;
  readonly type: string;
  /** Without the parent, whose id is unknown until it is written. */
  readonly body: JsonObject;
}
