import { portType } from '../src/model/reference-data/reference-types.ts';
import { location } from './location.ts';

location({
  type: portType,
  name: 'Port',
  description: 'A port, as a tenant describes it in its reference data.',
  one: 'port',
  many: 'ports',
});
