import { buildSchema, type ExecutionResult, execute, parse, validate } from 'graphql';

/** The fields that a query may ask for; the members of plain objects are the resolvers. */
const schema = buildSchema(`
  scalar UUID
  type Record { name: String xref: String }
  type Cargo { product: Record }
  type Job {
    id: ID! refNumber: String status: String activity: String eta: String etc: String
    location: Record transports: [Record] cargo: Cargo
  }
  type Jobs { nodes: [Job!]! }
  type Query { jobs(workspace: UUID!, first: Int): Jobs }
`);

interface Variables {
  readonly workspace: string;
}

/** Parses, validates and runs an arbitrary query text. */
export async function runUnseen(
  text: string,
  variableValues: Variables,
  nodesOf: (args: Variables) => Promise<object[]>,
): Promise<ExecutionResult> {
  const document = parse(text);
  const errors = validate(schema, document);
  if (errors.length > 0) return { errors };
  const rootValue = { jobs: async (args: Variables) => ({ nodes: await nodesOf(args) }) };
  return execute({ schema, document, variableValues: { ...variableValues }, rootValue });
}
