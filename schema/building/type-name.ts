/** The GraphQL type name for a noun: "quality result" becomes QualityResult. */
export const graphqlTypeName = (noun: string): string =>
  noun.replace(/(?:^| )(\w)/g, (_match, letter: string) => letter.toUpperCase());
