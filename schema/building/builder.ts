import SchemaBuilder from '@pothos/core';
import type { Context } from '../../src/context.ts';
import type { FileContent, IncomingFile } from '../../src/model/entity/file.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';

interface OpenObject {
  Input: JsonObject;
  Output: JsonObject;
}

/** The document types that belong to a job, by their names in GraphQL. */
export type ResultName = 'QualityResult' | 'QuantityResult' | 'TimeLogEvent' | 'LoadPortInformation';

/** The kinds of reference records, by their names in GraphQL. */
export type ReferenceName = 'Port' | 'InlandFacility' | 'Grade' | 'Company';

/**
 * The entities that are written as JSON objects, each by a scalar for the whole and one for a merge patch; reference
 * records are written whole.
 */
export type OpenObjectName =
  | `${'Organization' | 'Workspace' | 'Document' | 'Job' | ResultName | 'CatalogRecord'}${'Body' | 'Patch'}`
  | 'DataApiJobBody'
  | 'DataApiJobSubmission'
  | 'BridgeJobBody'
  | 'BridgeJobSubmission'
  | `${ReferenceName}Body`;

/** The Pothos builder: non-null by default, the viewer's context in every resolver. */
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

builder.queryType({ description: 'Everything that can be read. Without a credential only __typename answers.' });
builder.mutationType({ description: 'Everything that can be changed; the key needs the scope "write".' });
builder.subscriptionType({ description: 'What happens, as it happens: Server-Sent Events (docs/graphql.md).' });
