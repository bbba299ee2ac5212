import { qualityResult } from '../src/model/document-types/quality-result.ts';
import { result } from './building/result.ts';

export const { ref: QualityResultRef, connection: QualityResultConnection } = result({
  type: qualityResult,
  description:
    'The result of one test of a sample: the value found, the method, and whether it meets the specification of the contract.',
});
