import { QUALITY_RESULT_TYPE } from '../../model/document-types/quality-result.ts';
import { valueAt } from '../../model/json.ts';
import type { TradeJob, TradeResult } from '../trade-items.ts';
import { TESTS } from '../trade-words.ts';

/** The products whose jobs refer to a specification. */
const SPECIFIED = ['ULSD-10', 'GAS-95'];
const OTHER_LABORATORY = 'Orvanta Central Laboratory';
const HOUR = 60 * 60 * 1000;
/**
 * The difference in sulphur, mg/kg, between the cargo owner's laboratory and the vendor's, for each job it reports on:
 * within the reproducibility of 1.8, so that the mean counts, and beyond it, so that both must retest.
 */
const APART = [1, 4];

/** Reports by a second laboratory on the same samples, for the newest jobs with a specification (`job.conformity`). */
export function secondLaboratory(jobs: readonly TradeJob[], results: readonly TradeResult[]): TradeResult[] {
  const first = results.filter(
    ({ job, type, body }) =>
      type === QUALITY_RESULT_TYPE &&
      SPECIFIED.includes(String(valueAt(jobs[job]?.body ?? {}, ['cargo', 'product', 'xref']))) &&
      valueAt(body, ['test', 'xref']) === TESTS.sulphur.test.xref &&
      body.isOffSpec === false &&
      body.setNumber === 1 &&
      Number(body.result) < 9,
  );
  return APART.flatMap((apart, index) => {
    const theirs = first.at(-1 - index);
    if (!theirs) return [];
    const { body, createdAt } = theirs;
    const result = Number(body.result) + apart;
    return [
      {
        ...theirs,
        createdAt: new Date(createdAt.getTime() + HOUR),
        body: { ...body, laboratory: OTHER_LABORATORY, result: String(result) },
      },
    ];
  });
}
