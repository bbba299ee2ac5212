import { quantityResult } from '../src/model/document-types/quantity-result.ts';
import { result } from './result.ts';

result({
  type: quantityResult,
  name: 'QuantityResult',
  description: 'What was measured on one side of a transfer; a job has one for each direction.',
  one: 'quantityResult',
  many: 'quantityResults',
  ofJob: 'quantityResults',
});
