import { job } from './document-types/job.ts';
import { loadPortInformation } from './document-types/load-port-information.ts';
import { qualityResult } from './document-types/quality-result.ts';
import { quantityResult } from './document-types/quantity-result.ts';
import { specification } from './document-types/specification.ts';
import { timelog } from './document-types/timelog.ts';
import type { DocumentType } from './entity/entity-type.ts';

/** The types of documents that report on a job. A new type takes a file and a line here. */
export const RESULT_TYPES = [qualityResult, quantityResult, timelog, loadPortInformation] as const;

/** Every type of document in a workspace (contract §5). */
export const DOCUMENT_TYPES: readonly DocumentType[] = [job, ...RESULT_TYPES, specification];

/** The maximum number of documents of a bulk request (contract §5). */
export const MAX_BULK = 10_000;

/** What documents of every type have in common: the envelope and the workspace. */
export const anyDocument: DocumentType = {
  name: 'document',
  aliases: [],
  noun: 'document',
  required: [],
  schema: { type: 'object', description: 'Shaped by the document type.', additionalProperties: true },
};

const byName = new Map(DOCUMENT_TYPES.flatMap((type) => [type.name, ...type.aliases].map((name) => [name, type])));

/** The document type with that name or alias; undefined if there is none. */
export const documentType = (name: string): DocumentType | undefined => byName.get(name);
