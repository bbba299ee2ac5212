import type { OpenAPIV3_1 } from 'openapi-types';
import type { Endpoint } from '../declare/endpoint.ts';

/** The display names of endpoint nouns that differ from their spelling. */
const NAMES: Readonly<Record<string, string>> = {
  quality: 'Quality results',
  quantity: 'Quantity results',
  timelog: 'Time logs',
  xrefs: 'External references',
  changes: 'Change feed',
};

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  Jobs: 'What is to be inspected, where, and for whom.',
  Health: 'Whether the service and its database work.',
  Session: 'Signing in with a name and a password, in place of an API key.',
  Ports: 'Ports, by your own codes.',
  'Inland facilities': 'Terminals and tank farms, by your own codes.',
  Grades: 'Grades of products, each of one of 63 types.',
  Companies: 'Companies and their head offices.',
  Workspaces: 'What two parties, a client and a vendor, share.',
  Organizations: 'Who can be a party of a workspace.',
  Documents: 'Jobs, results and specifications, each with every version of it.',
  Attachments: 'Files of a document.',
  Files: 'Files of a job.',
  'Quality results': 'Results of laboratory tests.',
  'Quantity results': 'What was measured, at the source and at the destination.',
  'Time logs': 'What happened while a vessel was in port, and what delayed it.',
  'Load port information': 'What a vessel brought, by the documents of its load port.',
  Catalogs: 'Records that documents refer to: products, locations, vessels, units and so on.',
  'External references': 'Records that documents refer to: products, locations, vessels, units and so on.',
  Synonyms: 'Links between records that are the same thing.',
  Schemas: 'The JSON Schema of each document type.',
  'Change feed': 'All changes, in order; a client resumes where it stopped.',
  Webhooks: 'Signed messages about what happened.',
};

/** The tag of an endpoint in the document of its family: its subject in plain words. */
export function tagOf({ id }: Endpoint): string {
  const noun = id.split('.').at(-2) ?? id;
  const words = noun.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return NAMES[noun] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** The tag in the document of all families, where "Jobs" alone could mean any of three. */
export const tagOfAll = (endpoint: Endpoint): string => `${tagOf(endpoint)} (${endpoint.family.title})`;

/** A tag with its description. */
export const describedTag = (name: string, endpoint: Endpoint): OpenAPIV3_1.TagObject => ({
  name,
  description: DESCRIPTIONS[tagOf(endpoint)] ?? endpoint.family.title,
});
