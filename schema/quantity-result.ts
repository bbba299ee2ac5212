import { quantityResult } from '../src/model/document-types/quantity-result.ts';
import { result } from './building/result.ts';

result({
  type: quantityResult,
  description:
    'The quantity measured on one side of a transfer, on board or ashore; a job has one for each side, and compares them.',
});
