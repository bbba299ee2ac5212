/** Parts of MongoDB's JSON Schemas. */
export const text = { bsonType: 'string' };
export const number = { bsonType: 'number' };
export const date = { bsonType: 'date' };

/** A list whose items all have that schema. */
export const listOf = (items: object) => ({ bsonType: 'array', items });

export const texts = listOf(text);

/** An object that has these members at least, each with its schema. */
export const objectWith = (required: readonly string[], properties: object) => ({
  bsonType: 'object',
  required,
  properties,
});
