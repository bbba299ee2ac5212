import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { job } from '../../src/model/document-types/job.ts';

export interface Named {
  readonly xref: string;
  readonly name: string;
}

/** The parts of a job that the contestants read. */
export interface JobBody {
  readonly eta?: string;
  readonly etc?: string;
  readonly location?: Named;
  readonly transports?: readonly Named[];
  readonly cargo?: { readonly product?: Named; readonly uom?: Named; readonly quantity?: number };
  readonly vendor?: Named;
  readonly client?: Named;
}

const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats.default(ajv, ['uuid', 'date-time', 'date']);
ajv.addFormat('datetime', /^\d{4}-\d{2}-\d{2}([Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:?\d{2}))?$/);
const validate = ajv.compile(job.schema);

/** The error in a job by the JSON Schema that this service uses; undefined if it is valid. */
export const checkJob = (body: unknown): string | undefined =>
  validate(body) ? undefined : ajv.errorsText(validate.errors);
