import { loadPortInformation } from '../src/model/document-types/load-port-information.ts';
import { result } from './building/result.ts';

result({
  type: loadPortInformation,
  description:
    'What was loaded according to the bill of lading, and where. Together with the quantity results of a discharge it shows what was lost in transit.',
  ofJob: 'loadPortInformation',
});
