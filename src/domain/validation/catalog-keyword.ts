import type {
  AnySchemaObject,
  DataValidationCxt,
  FuncKeywordDefinition,
  SchemaValidateFunction,
} from 'ajv/dist/types/index.js';
import { isObject, type JsonObject } from '../../model/json.ts';
import { isUuid } from '../../model/uuid.ts';

interface Fault {
  /** The pointer of a member of the reference; the reference itself if there is none. */
  readonly member?: string;
  readonly message: string;
}

const NO_REFERENCE: Fault = {
  message: 'must be the id of a catalog record, or an object with an xref and/or a name (or an id)',
};

const validate: SchemaValidateFunction = (
  _catalog: unknown,
  value: unknown,
  schema?: AnySchemaObject,
  at?: DataValidationCxt,
): boolean => {
  const faults = isObject(value) ? faultsOf(value) : isBare(value, schema) ? [] : [NO_REFERENCE];
  validate.errors = faults.map(({ member = '', message }) => ({
    keyword: 'x-catalog',
    message,
    instancePath: `${at?.instancePath ?? ''}${member}`,
  }));
  return faults.length === 0;
};

/** `x-catalog`: a reference to a record of a catalog; what is wrong with one of its members is said of that member. */
export const catalogKeyword: FuncKeywordDefinition = { keyword: 'x-catalog', errors: 'full', validate };

/** An id, or null; but a bare null is not a reference, and in a list it has no meaning. */
const isBare = (value: unknown, schema?: AnySchemaObject): boolean =>
  value === null ? !schema?.['x-item'] : typeof value === 'string' && isUuid(value);

function faultsOf({ id = null, xref = null, name = null }: JsonObject): Fault[] {
  const faults: Fault[] = Object.entries({ xref, name })
    .filter(([, part]) => part !== null && typeof part !== 'string')
    .map(([member]) => ({ member: `/${member}`, message: 'must be string or null' }));
  if (id !== null && !(typeof id === 'string' && isUuid(id)))
    faults.push({ member: '/id', message: 'must be a UUID or null' });
  if (faults.length > 0 || id !== null) return faults;
  return [xref, name].some((part) => typeof part === 'string' && part.trim() !== '') ? [] : [NO_REFERENCE];
}
