import { buildSchema, type GraphQLObjectType, type GraphQLScalarType } from 'graphql';

const listArguments =
  'first: Int, after: String, last: Int, before: String, offset: Int, filter: [FieldFilter!], orderBy: [SortField!]';

const entity = `id: UUID! versionId: UUID! createdBy: UUID! createdAt: DateTime! modifiedBy: UUID! modifiedAt: DateTime!
  type: String! schemaId: UUID! workspaceId: UUID parentId: UUID body: JSON!`;

const connection = (noun: string) => `type ${noun}Connection { nodes: [${noun}!]! pageInfo: PageInfo! }`;

/** What is reported for a job, each with the names of its queries for one and for many. */
const results = [
  ['QualityResult', 'qualityResult', 'qualityResults'],
  ['QuantityResult', 'quantityResult', 'quantityResults'],
  ['TimeLogEvent', 'timeLogEvent', 'timeLogEvents'],
  ['LoadPortInformation', 'loadPortInformation', 'loadPortInformations'],
] as const;
const ofResults = (text: (names: (typeof results)[number]) => string): string => results.map(text).join('\n');
/** The kinds of reference records, each with the names of its queries for one and for many. */
const references = [
  ['Port', 'port', 'ports'],
  ['InlandFacility', 'inlandFacility', 'inlandFacilities'],
  ['Grade', 'grade', 'grades'],
  ['Company', 'company', 'companies'],
] as const;
const ofReferences = (text: (names: (typeof references)[number]) => string): string => references.map(text).join('\n');
const searchArguments =
  'first: Int, offset: Int, dateModifiedFrom: DateTime, dateModifiedTo: DateTime, clientCodes: [String!]';
const ofJob = 'workspace: UUID, job: UUID';
const pair = 'workspace: UUID!, catalog: String!, record: UUID!, synonym: UUID!';

/** The part of the service's schema that the endpoints use, with the same names and types. */
export const sdl = `
scalar UUID scalar DateTime scalar JSON
scalar OrganizationBody scalar OrganizationPatch scalar WorkspaceBody scalar WorkspacePatch
scalar Upload scalar FileContent
scalar CatalogRecordBody scalar CatalogRecordPatch
scalar DocumentBody scalar DocumentPatch scalar JobBody scalar JobPatch scalar DataApiJobBody scalar DataApiJobSubmission
input FieldFilter { field: String! anyOf: [String]! }
enum SortDirection { asc desc }
input SortField { field: String! direction: SortDirection! = asc }
type PageInfo { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
interface Document { ${entity} }
type Organization { ${entity} }
type Workspace { ${entity} }
type Job implements Document { ${entity} dataApiBody: JSON! dataApiListType: String! }
type UploadedFile { id: UUID! name: String! sha256: String! }
type Attachment { ${entity} caption: String! location: UUID! format: String! content: FileContent! }
type CatalogRecord { ${entity} item: JSON! }
type Synonym { ${entity} otherId(than: UUID!): UUID! }
${ofResults(([name]) => `scalar ${name}Body scalar ${name}Patch type ${name} { ${entity} } ${connection(name)}`)}
${ofReferences(
  ([name, one]) => `scalar ${name}Body
    type ${name} { clientCode: String! statusCode: String! record: JSON! summary: JSON! versionId: UUID! }
    type Put${name} { created: Boolean! ${one}: ${name}! }
    type ${name}Connection { totalCount: Int! nodes: [${name}!]! }`,
)}
type LinkedSynonym { created: Boolean! synonym: Synonym! }
type TypeSchema { id: UUID! type: String! schema: JSON! }
${['Organization', 'Workspace', 'Document', 'Job', 'Attachment', 'CatalogRecord', 'Synonym'].map(connection).join('\n')}
type Health { transport: String! metadataStore: String! dataStore: String! healthy: Boolean! }
type Session { username: String! expiresAt: DateTime! }
type NewSession { username: String! expiresAt: DateTime! token: String! }
type Query {
  session: Session!
  health: Health!
  organization(id: UUID!): Organization
  organizations(${listArguments}, nameContains: String): OrganizationConnection!
  workspace(id: UUID!): Workspace
  workspaces(${listArguments}): WorkspaceConnection!
  document(workspace: UUID, id: UUID!): Document
  documents(workspace: UUID, type: String!, ${listArguments}): DocumentConnection!
  job(workspace: UUID, id: UUID!): Job
  jobs(workspace: UUID, ${listArguments}): JobConnection!
  attachment(workspace: UUID, document: UUID, documentType: String, id: UUID!): Attachment
  attachments(workspace: UUID, document: UUID!, documentType: String, ${listArguments}): AttachmentConnection!
  catalogRecord(workspace: UUID!, catalog: String, id: UUID!): CatalogRecord
  catalogRecords(workspace: UUID!, catalog: String, ${listArguments}): CatalogRecordConnection!
  linkedRecord(${pair}): CatalogRecord
  ${ofResults(([name, one, many]) => `${one}(${ofJob}, id: UUID!): ${name} ${many}(${ofJob}, ${listArguments}): ${name}Connection!`)}
  synonyms(workspace: UUID!, catalog: String, record: UUID, ${listArguments}): SynonymConnection!
  ${ofReferences(([name, one, many]) => `${one}(clientCode: String!): ${name} ${many}(${searchArguments}): ${name}Connection!`)}
  schema(id: UUID!): TypeSchema
  schemas: [TypeSchema!]!
}
type Mutation {
  signIn(username: String!, password: String!): NewSession!
  signOut: Session!
  unlinkRecord(${pair}, expectedVersion: [String!]): CatalogRecord!
  ${ofResults(
    ([name]) => `create${name}(workspace: UUID!, job: UUID!, body: ${name}Body!): ${name}!
      update${name}(${ofJob}, id: UUID!, patch: ${name}Patch!, expectedVersion: [String!], previousVersion: UUID): ${name}!
      delete${name}(${ofJob}, id: UUID!, expectedVersion: [String!]): ${name}!`,
  )}
  ${ofReferences(
    ([name]) => `put${name}(clientCode: String!, body: ${name}Body!, expectedVersion: [String!]): Put${name}!
      deactivate${name}(clientCode: String!, expectedVersion: [String!]): ${name}!`,
  )}
  createOrganization(body: OrganizationBody!): Organization!
  updateOrganization(id: UUID!, patch: OrganizationPatch!, expectedVersion: [String!], previousVersion: UUID): Organization!
  deleteOrganization(id: UUID!, expectedVersion: [String!]): Organization!
  createWorkspace(body: WorkspaceBody!): Workspace!
  updateWorkspace(id: UUID!, patch: WorkspacePatch!, expectedVersion: [String!], previousVersion: UUID): Workspace!
  deleteWorkspace(id: UUID!, expectedVersion: [String!]): Workspace!
  createDocument(workspace: UUID!, type: String!, body: DocumentBody!): Document!
  createDocuments(workspace: UUID!, type: String!, bodies: [DocumentBody!]!): [Document!]!
  updateDocument(workspace: UUID, id: UUID!, patch: DocumentPatch!, expectedVersion: [String!], previousVersion: UUID): Document!
  deleteDocument(workspace: UUID, id: UUID!, expectedVersion: [String!]): Document!
  createJob(workspace: UUID!, body: JobBody!): Job!
  updateJob(workspace: UUID, id: UUID!, patch: JobPatch!, expectedVersion: [String!]): Job!
  deleteJob(workspace: UUID, id: UUID!, expectedVersion: [String!]): Job!
  createDataApiJob(body: DataApiJobBody!): Job!
  submitDataApiJob(body: DataApiJobSubmission!): Job!
  uploadFile(workspace: UUID, document: UUID!, documentType: String, file: Upload!): UploadedFile!
  discardFile(document: UUID!, file: UUID!): UUID!
  createAttachment(workspace: UUID, document: UUID!, documentType: String, file: UUID!, clientReferenceNumber: String, vendorReferenceNumber: String, description: String): Attachment!
  deleteAttachment(workspace: UUID, document: UUID, documentType: String, id: UUID!, expectedVersion: [String!]): Attachment!
  createCatalogRecord(workspace: UUID!, catalog: String!, body: CatalogRecordBody!): CatalogRecord!
  updateCatalogRecord(workspace: UUID!, catalog: String, id: UUID!, patch: CatalogRecordPatch!, expectedVersion: [String!], previousVersion: UUID): CatalogRecord!
  deleteCatalogRecord(workspace: UUID!, catalog: String, id: UUID!, expectedVersion: [String!]): CatalogRecord!
  linkSynonyms(workspace: UUID!, catalog: String!, record: UUID!, synonym: UUID!): LinkedSynonym!
  unlinkSynonyms(workspace: UUID!, catalog: String!, record: UUID!, synonym: UUID!, expectedVersion: [String!]): Synonym!
}`;

/** That schema, with a JSON Schema on each body as the real one has. */
export function fakeSchema() {
  const schema = buildSchema(sdl);
  const names = [
    'Organization',
    'Workspace',
    'Document',
    'Job',
    'DataApiJob',
    'CatalogRecord',
    ...results.map(([name]) => name),
    ...references.map(([name]) => name),
  ];
  for (const name of names.map((noun) => `${noun}Body`)) {
    const scalar = schema.getType(name) as GraphQLScalarType;
    scalar.extensions = {
      jsonSchema: {
        title: name,
        type: 'object',
        properties: { name: { type: 'string', minLength: 1 }, status: { enum: ['pending', null] } },
        required: ['name'],
      },
    };
  }
  for (const title of ['Attachment', 'Synonym']) {
    const type = schema.getType(title) as GraphQLObjectType;
    type.extensions = { jsonSchema: { title, type: 'object' } };
  }
  return schema;
}
