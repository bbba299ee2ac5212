import type { Entity } from '../../src/model/entity/entity.ts';
import type { ResultType } from '../../src/model/entity/entity-type.ts';
import { resultNames } from '../../src/model/entity/graphql-names.ts';
import { checkedDocuments, checkedPatch, DocumentRef, documentPlaceArgs } from '../document.ts';
import { checkedChildren, JobRef } from '../job.ts';
import { WorkspaceRef } from '../workspace.ts';
import { bodyFields } from './body-fields.ts';
import { builder, type ResultNoun } from './builder.ts';
import { changeArgs, EntityRef, removalArgs } from './entity.ts';
import { member } from './member.ts';
import { neededRecords, readingAhead } from './needed-records.ts';
import { connection, listArgs } from './page.ts';

/** What the GraphQL type of a result declares in addition to its document type. */
interface ResultDeclaration {
  readonly type: ResultType<ResultNoun>;
  readonly description: string;
  /** The name of the list field on Job, if it is not the name of the query for many. */
  readonly ofJob?: string;
}

/** Defines a document type that belongs to a job: its object, queries, mutations, and the list fields on Job and Workspace. */
export function result({ type, description, ofJob }: ResultDeclaration) {
  const { many } = resultNames(type.noun);
  const refs = refsOf(type, description);
  queries(type, refs);
  fieldOfJob(type, refs, ofJob ?? many);
  fieldOfWorkspace(type, refs);
  mutations(type, refs);
  return refs;
}

type Type = ResultDeclaration['type'];

/** The object type, and its pages. */
function refsOf(type: Type, description: string) {
  const { type: name } = resultNames(type.noun);
  const ref = builder.objectRef<Entity>(name).implement({
    description,
    interfaces: [DocumentRef, EntityRef],
    fields: (t) => ({
      job: t.field({
        type: JobRef,
        nullable: true,
        description: 'The job that it belongs to.',
        resolve: (entity, _args, { load }) => load.document(entity.parentId),
      }),
      ...bodyFields(t, type.schema, {
        read: (name) => member<unknown>(name),
        names: type.graphqlNames,
      }),
    }),
  });
  return { ref, connection: connection(name, ref) };
}

type Refs = ReturnType<typeof refsOf>;

function queries(type: Type, { ref, connection: connectionRef }: Refs): void {
  const { one, many } = resultNames(type.noun);
  builder.queryField(one, (t) =>
    t.field({
      type: ref,
      nullable: true,
      description: `${capitalized(type.phrases.one)}, by its id.`,
      args: resultPlaceArgs(),
      resolve: (_root, { job, ...place }, { domain }) =>
        domain.documents.get({ ...place, parent: job, type: type.name }),
    }),
  );
  builder.queryField(many, (t) =>
    t.field({
      type: connectionRef,
      description: `All ${type.phrases.all} visible to the caller, optionally of one job or workspace.`,
      args: { ...scopeArgs(), ...listArgs(type) },
      extensions: checkedDocuments(type.name),
      resolve: readingAhead((_root, { job, ...request }, { domain }) =>
        domain.documents.list({ ...request, parent: job, type: type.name }),
      ),
    }),
  );
}

/** The list of its newest results. */
function fieldOfJob(type: Type, { ref }: Refs, name: string): void {
  const { many } = resultNames(type.noun);
  builder.objectField(JobRef, name, (t) =>
    t.field({
      type: [ref],
      description: `The newest ${type.noun} entries of the job; \`${many}(job:)\` lists all of them, with paging and filters.`,
      args: {
        first: t.arg.int({ defaultValue: 25, required: true, description: 'The maximum number of items, 1 to 100.' }),
      },
      extensions: checkedChildren,
      resolve: (job, { first }, { load }, info) =>
        load.children(job, { type: type.name, first, needs: neededRecords(info) }),
    }),
  );
}

function fieldOfWorkspace(type: Type, { connection: connectionRef }: Refs): void {
  const { many } = resultNames(type.noun);
  builder.objectField(WorkspaceRef, many, (t) =>
    t.field({
      type: connectionRef,
      description: `All ${type.phrases.all} of the workspace.`,
      args: listArgs(type),
      extensions: checkedDocuments(type.name),
      resolve: readingAhead(({ id }, args, { domain }) =>
        domain.documents.list({ ...args, workspace: id, type: type.name }),
      ),
    }),
  );
}

function mutations(type: Type, { ref }: Refs): void {
  const { type: name } = resultNames(type.noun);
  builder.mutationFields((t) => ({
    [`create${name}`]: t.field({
      type: ref,
      description: `Reports ${type.phrases.one} for a job. Catalog records that it refers to and that do not exist yet are created with it.`,
      args: {
        workspace: t.arg({ type: 'UUID', required: true, description: 'The workspace of the job.' }),
        job: t.arg({ type: 'UUID', required: true, description: 'The job that is reported on.' }),
        body: t.arg({ type: `${name}Body`, required: true, description: 'The body.' }),
      },
      resolve: (_root, { job, ...made }, { domain }) =>
        domain.documents.create({ ...made, parent: job, type: type.name, requireFields: false }),
    }),
    [`update${name}`]: t.field({
      type: ref,
      description: `Changes ${type.phrases.one} with a JSON Merge Patch.`,
      args: {
        ...resultPlaceArgs(),
        patch: t.arg({ type: `${name}Patch`, required: true, description: 'The changes; null removes a member.' }),
        ...changeArgs(),
      },
      extensions: checkedPatch(type.name, { requireFields: false }),
      resolve: (_root, { workspace, job, id, patch, ...expectation }, { domain }) =>
        domain.documents.update({ workspace, parent: job, id, type: type.name }, patch, {
          ...expectation,
          requireFields: false,
        }),
    }),
    [`delete${name}`]: t.field({
      type: ref,
      description: `Deletes ${type.phrases.one} permanently.`,
      args: { ...resultPlaceArgs(), ...removalArgs() },
      resolve: (_root, { workspace, job, id, ...expectation }, { domain }) =>
        domain.documents.remove({ workspace, parent: job, id, type: type.name }, expectation),
    }),
  }));
}

const capitalized = (phrase: string): string => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}`;

/** Limits a list of results to a workspace or job. */
const scopeArgs = () =>
  builder.args((t) => ({
    workspace: t.field({ type: 'UUID', description: 'Only those of this workspace.' }),
    job: t.field({ type: 'UUID', description: 'Only those of this job.' }),
  }));

/** Identifies a result; NOT_FOUND if it belongs to another workspace or job. */
const resultPlaceArgs = () =>
  builder.args((t) => ({
    ...documentPlaceArgs(),
    job: t.field({ type: 'UUID', description: 'A document of another job is NOT_FOUND.' }),
  }));
