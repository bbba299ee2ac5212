import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { validatorOf } from '../../../src/domain/validation/validators.ts';
import { DATA_API_FORMS, SHAPE_A_LISTS } from '../../../src/model/data-api/data-api-job.ts';
import { DOCUMENT_TYPES } from '../../../src/model/document-types.ts';
import { ENTITY_TYPES } from '../../../src/model/entity/entity-types.ts';
import { REFERENCE_TYPES } from '../../../src/model/reference-data/reference-types.ts';

const types = [
  ...new Set([...ENTITY_TYPES, ...DOCUMENT_TYPES, ...REFERENCE_TYPES, ...Object.values(DATA_API_FORMS), SHAPE_A_LISTS]),
];

it.each(types.map((type) => [type.name, type] as const))(
  'the schema of %s is valid JSON Schema, and compiles when the first body is checked',
  (_, type) => {
    const ajv = new Ajv2020({ strict: false });
    ajv.validateSchema(type.schema);
    expect(ajv.errors ?? []).toEqual([]);
    expect(validatorOf(type).violations({}, false)).toEqual(expect.any(Array));
  },
);
