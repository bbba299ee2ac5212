import { job } from './document-types/job.ts';
import { loadPortInformation } from './document-types/load-port-information.ts';
import { qualityResult } from './document-types/quality-result.ts';
import { quantityResult } from './document-types/quantity-result.ts';
import { timelog } from './document-types/timelog.ts';
import type { DocumentType } from './entity/entity-type.ts';

/** Every type of document in a workspace (contract §5). A new type is one file and one line here. */
export const DOCUMENT_TYPES: readonly DocumentType[] = [
  job,
  qualityResult,
  quantityResult,
  timelog,
  loadPortInformation,
];

/** What documents of every type have in common: the envelope and the workspace. */
export const anyDocument: DocumentType = {
  name: 'document',
  aliases: [],
  noun: 'document',
  required: [],
  schema: { type: 'object', description: 'Shaped by the document type.' },
};

const byName = new Map(DOCUMENT_TYPES.flatMap((type) => [type.name, ...type.aliases].map((name) => [name, type])));

/** The document type with that name or alias; undefined if there is none. */
export const documentType = (name: string): DocumentType | undefined => byName.get(name);
