import type { TypeSchema } from '../src/model/fields/schema-ids.ts';
import { builder } from './building/builder.ts';

const TypeSchemaRef = builder.objectRef<TypeSchema>('TypeSchema').implement({
  description: 'The JSON Schema (2020-12) of the bodies of one entity type.',
  fields: (t) => ({
    id: t.expose('id', {
      type: 'UUID',
      description: 'The id used in envelopes; it changes when the schema does.',
    }),
    versionId: t.expose('id', {
      type: 'UUID',
      description: 'The ETag in REST: the id, since it changes with the schema.',
    }),
    type: t.exposeString('type', { description: 'The type name, such as svc.inspection.job.' }),
    schema: t.expose('schema', {
      type: 'JSON',
      description:
        'The schema, annotated with x-catalog (a catalog reference), x-alias and x-alias-of (two spellings of one field) and x-link (the id of another entity).',
    }),
  }),
});

builder.queryFields((t) => ({
  schema: t.field({
    type: TypeSchemaRef,
    nullable: true,
    description: 'One JSON Schema, by the schema id of an envelope.',
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The schema of an envelope.' }) },
    resolve: (_root, { id }, { domain }) => domain.schemas.get(id),
  }),
  schemas: t.field({
    type: [TypeSchemaRef],
    description: 'The JSON Schema of every entity type.',
    resolve: (_root, _args, { domain }) => [...domain.schemas.list()],
  }),
}));
