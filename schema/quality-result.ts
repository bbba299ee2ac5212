import { qualityResult } from '../src/model/document-types/quality-result.ts';
import { result } from './building/result.ts';

export const { ref: QualityResultRef, connection: QualityResultConnection } = result({
  type: qualityResult,
  name: 'QualityResult',
  description:
    'The result of one test of a sample: what the laboratory found, by which method, and whether it is within the specification of the contract.',
  one: 'qualityResult',
  many: 'qualityResults',
  ofJob: 'qualityResults',
});
