import type { DocumentType } from '../entity/entity-type.ts';
import { float, link, list, named, reference, text, within } from '../fields/schema-parts.ts';

export const SPECIFICATION_TYPE = 'svc.inspection.specification';

/** Every result of a job is checked against all limits of its test. */
const MOST_TESTS = 1_000;

/** What a product must meet by contract: tests with limits that a job's results are checked against (contract §15). */
export const specification: DocumentType<'specification'> = {
  name: SPECIFICATION_TYPE,
  aliases: [],
  noun: 'specification',
  required: ['product', 'tests'],
  graphqlNames: { hide: ['workspace'] },
  schema: {
    title: 'Specification',
    type: 'object',
    properties: {
      workspace: link('workspace', 'The workspace that the specification belongs to; filled in from the path.'),
      name: text('What the specification is called, such as EN 590.'),
      product: reference('products', 'The product that is specified.'),
      tests: list(
        named('Specification test', {
          type: 'object',
          required: ['test'],
          properties: {
            test: reference('tests', 'What is tested, such as density, sulphur or flash point.'),
            method: reference(
              'testMethods',
              'The standard by which it is tested; results of another method are not held against the limits.',
            ),
            uom: reference('uom', 'The unit of the limits and the reproducibility.'),
            minimum: float('The lowest value that meets the specification, in the unit beside it.'),
            maximum: float('The highest value that meets the specification, in the unit beside it.'),
            reproducibility: within(
              { minimum: 0 },
              'The reproducibility R of the method: how far results of two laboratories may be apart, in the unit beside it.',
            ),
          },
          description: 'One test with its limits.',
        }),
        `The tests, each with its limits; at most ${MOST_TESTS.toLocaleString('en')}.`,
        MOST_TESTS,
      ),
    },
  },
};
