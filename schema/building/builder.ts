import SchemaBuilder from '@pothos/core';
import type { Context } from '../../src/context.ts';
import type { RESULT_TYPES } from '../../src/model/document-types.ts';
import type { FileContent, IncomingFile } from '../../src/model/entity/file.ts';
import type { GraphqlTypeName } from '../../src/model/entity/graphql-names.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';

interface OpenObject {
  Input: JsonObject;
  Output: JsonObject;
}

/** The document types that belong to a job, by their names in GraphQL. */
type ResultName = GraphqlTypeName<ResultNoun>;

/** The nouns of these types. */
export type ResultNoun = (typeof RESULT_TYPES)[number]['noun'];

/** The kinds of reference records, by their names in GraphQL. */
export type ReferenceName = 'Port' | 'InlandFacility' | 'Grade' | 'Company';

/**
 * The scalars that take a JSON object: one for the body and one for the merge patch of each entity; reference records
 * have no patch.
 */
export type OpenObjectName =
  | `${'Organization' | 'Workspace' | 'Document' | 'Job' | ResultName | 'CatalogRecord'}${'Body' | 'Patch'}`
  | 'DataApiJobBody'
  | 'DataApiJobSubmission'
  | 'BridgeJobBody'
  | 'BridgeJobSubmission'
  | 'WebhookBody'
  | 'WebhookPatch'
  | `${ReferenceName}Body`;

/** The Pothos schema builder; fields are non-null by default. */
export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    UUID: { Input: string; Output: string };
    DateTime: { Input: string; Output: Date | string };
    JSON: { Input: Json; Output: unknown };
    Upload: { Input: IncomingFile; Output: never };
    FileContent: { Input: never; Output: FileContent };
  } & Record<OpenObjectName, OpenObject>;
}>({ defaultFieldNullability: false });

builder.queryType({
  description:
    'Everything that can be read. In the demo, everything but __typename, introspection and health requires a credential; in production, everything does.',
});
builder.mutationType({
  description:
    'Everything that can be changed. Requires the scope "write", but for webhooks, which require "admin", and for what signs in, or changes the sessions and the password of the signed-in user.',
});
builder.subscriptionType({ description: 'Changes as they happen, over Server-Sent Events.' });
