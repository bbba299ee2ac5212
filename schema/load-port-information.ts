import { loadPortInformation } from '../src/model/document-types/load-port-information.ts';
import { result } from './building/result.ts';

result({
  type: loadPortInformation,
  name: 'LoadPortInformation',
  description:
    'What the bill of lading says was loaded, and where. A discharge needs it beside its quantity results, to tell what was lost on the way.',
  one: 'loadPortInformation',
  many: 'loadPortInformations',
  ofJob: 'loadPortInformation',
});
