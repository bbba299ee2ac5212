import { loadPortInformation } from '../src/model/document-types/load-port-information.ts';
import { result } from './result.ts';

result({
  type: loadPortInformation,
  name: 'LoadPortInformation',
  description: 'What was loaded, and where; a discharge job needs it beside its quantity results.',
  one: 'loadPortInformation',
  many: 'loadPortInformations',
  ofJob: 'loadPortInformation',
});
