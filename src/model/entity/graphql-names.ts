/** How members of a body (dotted paths) appear in GraphQL, if not under their own names. */
export interface GraphqlNames {
  /** Members without a field, because a relation or an argument says the same. */
  readonly hide?: readonly string[];
  /** Objects that are replaced by their members. */
  readonly flatten?: readonly string[];
  readonly rename?: Readonly<Record<string, string>>;
}

/** The GraphQL type name for a noun: "quality result" becomes QualityResult. */
export type GraphqlTypeName<Noun extends string> = Noun extends `${infer Word} ${infer Rest}`
  ? `${Capitalize<Word>}${GraphqlTypeName<Rest>}`
  : Capitalize<Noun>;

/** The run-time counterpart of GraphqlTypeName. */
export const graphqlTypeName = <Noun extends string>(noun: Noun): GraphqlTypeName<Noun> =>
  noun.replace(/(?:^| )(\w)/g, (_match, letter: string) => letter.toUpperCase()) as GraphqlTypeName<Noun>;

/** The GraphQL names of a type of result: its type, and its queries for one and for many. */
export function resultNames<Noun extends string>(noun: Noun) {
  const type = graphqlTypeName(noun);
  const one = `${type.charAt(0).toLowerCase()}${type.slice(1)}`;
  return { type, one, many: `${one}s` };
}
