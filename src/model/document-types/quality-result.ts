import type { ResultType } from '../entity/entity-type.ts';
import { alias, datetime, flag, integer, link, named, object, oneOf, reference, text } from '../fields/schema-parts.ts';
import { JOB_TYPE } from './job.ts';

export const QUALITY_RESULT_TYPE = 'svc.inspection.qualityResult';
const QUALITY_STATUSES = ['confirmed', 'preliminary'] as const;
const RESULT_OPERATORS = ['lte', 'gte', 'lt', 'gt', 'eq'] as const;

/** The result of one test of a sample (interface, "Quality result"). */
export const qualityResult: ResultType<'quality result'> = {
  name: QUALITY_RESULT_TYPE,
  aliases: [],
  noun: 'quality result',
  phrases: { one: 'a quality result', all: 'the quality results' },
  parentType: JOB_TYPE,
  required: ['workspace', 'parent', 'status', 'setNumber', 'sample.location', 'test', 'method', 'uom', 'result'],
  graphqlNames: { hide: ['workspace', 'parent'] },
  schema: {
    title: 'Quality result',
    type: 'object',
    properties: {
      workspace: link('workspace', 'The workspace that the result belongs to; filled in from the path.'),
      parent: link('document', 'The job that the result belongs to.'),
      status: oneOf(
        QUALITY_STATUSES,
        'A preliminary result can still change; a confirmed one stands on the certificate.',
      ),
      setNumber: integer('The number of the set: results of one sample that were reported together.'),
      coaId: text('The id of the certificate of analysis, the document that states the quality of the cargo.'),
      testNumber: integer('The number in the set; the inspection system needs it.'),
      sample: named(
        'Sample',
        object(
          {
            refNumber: text('The reference number of the sample.'),
            description: text('What the sample is.'),
            sealNumber: text('The number of the seal on the sample, which shows that nobody opened it.'),
            sampleNumber: text('The number of the sample.'),
            location: text(
              'The code of the place where the sample was taken: a ship tank, a shore tank, a line, a composite.',
            ),
          },
          'What was tested.',
        ),
      ),
      laboratory: text('The laboratory that made the test; results of two laboratories are combined.'),
      test: reference('tests', 'What was tested, such as density, sulphur or flash point.'),
      method: reference(
        'testMethods',
        'The standard by which it was tested, such as ASTM D4052; results compare only under one method.',
      ),
      uom: reference('uom', 'The unit of measure of the result.'),
      ...alias('date', 'testDate', datetime('When the test was made.')),
      resultOperator: oneOf(
        RESULT_OPERATORS,
        'How the property compares with the result: eq is equal, lt and lte below, gt and gte above, as in "less than 10".',
      ),
      result: text('The value as the laboratory reports it, as text: 0.8412, <10 or PASS.'),
      ...alias('notes', 'comment', text('Remarks.')),
      isRetestNeeded: flag('The client decided that the test must be made again.'),
      isOffSpec: flag(
        'The inspection system judged that the result misses what the contract specifies (off specification).',
      ),
      isPassed: flag('The inspection system judged the result to be satisfactory.'),
      isPreviouslySubmitted: flag('The result was submitted before.'),
      isPerformed: flag('The test was performed.'),
      propertyIsNumeric: flag('The property that was tested has a number as its value.'),
      propertyName: text('The property that was tested.'),
    },
  },
};
