import SchemaBuilder from '@pothos/core';
import type { Context } from '../src/context.ts';
import type { Json, JsonObject } from '../src/model/json.ts';

interface OpenObject {
  Input: JsonObject;
  Output: JsonObject;
}

/** The Pothos builder: non-null by default, the viewer's context in every resolver. */
export const builder = new SchemaBuilder<{
  Context: Context;
  DefaultFieldNullability: false;
  Scalars: {
    UUID: { Input: string; Output: string };
    DateTime: { Input: string; Output: Date | string };
    JSON: { Input: Json; Output: unknown };
    OrganizationBody: OpenObject;
    OrganizationPatch: OpenObject;
    WorkspaceBody: OpenObject;
    WorkspacePatch: OpenObject;
    DocumentBody: OpenObject;
    DocumentPatch: OpenObject;
    JobBody: OpenObject;
    JobPatch: OpenObject;
    CatalogRecordBody: OpenObject;
    CatalogRecordPatch: OpenObject;
  };
}>({ defaultFieldNullability: false });

builder.queryType({ description: 'Everything that can be read. Without a credential only __typename answers.' });
builder.mutationType({ description: 'Everything that can be changed; the key needs the scope "write".' });
