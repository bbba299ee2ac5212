import { expect, it } from 'vitest';
import { DOCUMENT_TYPES } from '../../src/model/document-types.ts';
import { keyedFieldsOfType } from '../../src/model/fields/fields.ts';
import { FORM } from '../../src/store/migrations/list.ts';

/** The keyed fields by form: stored documents have keys only for those of the present form. */
const KEYED = {
  form: 1,
  fields: {
    'svc.inspection.job': ['eta', 'etc', 'sampleDate'],
    'svc.inspection.qualityResult': ['date', 'notes'],
    'svc.inspection.quantityResult': ['date', 'vcfTable'],
    'svc.inspection.timelog': ['start', 'end'],
    'svc.inspection.loadPortInformation': ['billOfLadingDate'],
    'svc.inspection.specification': [],
  },
};

it('has a migration for every keyed field (CONTRIBUTING.md, "Change the stored form")', () => {
  const fields = Object.fromEntries(
    DOCUMENT_TYPES.map((type) => [type.name, keyedFieldsOfType(type).map(({ name }) => name)]),
  );
  expect(fields).toEqual(KEYED.fields);
  expect(FORM).toBeGreaterThanOrEqual(KEYED.form);
});
