/** The name of a GraphQL type, made of a noun: "quality result" is QualityResult. */
export const graphqlTypeName = (noun: string): string =>
  noun.replace(/(?:^| )(\w)/g, (_match, letter: string) => letter.toUpperCase());
