import { buildSchema, type ExecutionResult, execute, parse, validate } from 'graphql';

/** What the text may ask for, with resolvers that are the members of plain objects. */
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

/** Parses, checks and runs a text that could be anything. */
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
