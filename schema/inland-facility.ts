import { inlandFacilityType } from '../src/model/reference-data/reference-types.ts';
import { location } from './location.ts';

location({
  type: inlandFacilityType,
  name: 'InlandFacility',
  description: 'A place away from ports where cargo is stored or transferred, such as a tank farm.',
  one: 'inlandFacility',
  many: 'inlandFacilities',
});
