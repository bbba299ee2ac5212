import type { Entity } from '../src/model/entity/entity.ts';
import { GRADE_KINDS, type GradeKind } from '../src/model/reference-data/grade-kinds.ts';
import { gradeType } from '../src/model/reference-data/reference-types.ts';
import { bodyFields } from './building/body-fields.ts';
import { builder } from './building/builder.ts';
import { member } from './building/member.ts';
import { ownMembers, RecordStatus, ReferenceRecordRef, referenceNoun } from './reference-record.ts';

/** The name of a grade type in GraphQL, where names are limited to letters, digits and underscores. */
const enumName = (code: string): string =>
  code
    .replaceAll(' ', '')
    .replaceAll('&', 'AND')
    .replaceAll(/[^A-Z0-9_]/g, '_');

const GradeTypeRef = builder.enumType('GradeType', {
  description: 'The 63 types of grade. GradeTypeInfo has the code that REST uses, which can contain other characters.',
  values: Object.fromEntries(
    GRADE_KINDS.map(({ code, category, description }) => [
      enumName(code),
      { value: code, description: `${category} / ${description}.` },
    ]),
  ),
});

const GradeTypeInfo = builder.objectRef<GradeKind>('GradeTypeInfo').implement({
  description: 'A type of grade, with its code and category.',
  fields: (t) => ({
    type: t.field({ type: GradeTypeRef, description: 'The name in GraphQL.', resolve: ({ code }) => code }),
    code: t.exposeString('code', { description: 'The code in REST, as listed in the interface.' }),
    category: t.exposeString('category', { description: 'The category, such as Crudes.' }),
    description: t.exposeString('description', { description: 'What it is.' }),
  }),
});

const GradeRef = builder.objectRef<Entity>('Grade').implement({
  description: 'A grade of product, as a tenant describes it in its reference data.',
  interfaces: [ReferenceRecordRef],
  fields: (t) => ({
    ...bodyFields(t, gradeType.schema, {
      read: (part) => member<unknown>(part),
      names: { hide: [...ownMembers(gradeType), 'gradeTypeCode'] },
    }),
    gradeTypeCode: t.field({
      type: GradeTypeRef,
      description: 'The type, by its name in GraphQL.',
      resolve: member<string>('gradeTypeCode'),
    }),
    gradeType: t.field({
      type: GradeTypeInfo,
      nullable: true,
      description: 'The type, with its category.',
      resolve: (grade) => GRADE_KINDS.find(({ code }) => code === grade.at('gradeTypeCode')),
    }),
    gradeStatusCode: t.field({
      type: RecordStatus,
      description: 'Whether it is in use.',
      resolve: member<'ACTIVE' | 'INACTIVE'>('gradeStatusCode'),
    }),
  }),
});

referenceNoun({ type: gradeType, name: 'Grade', ref: GradeRef, one: 'grade', many: 'grades' });

builder.queryField('gradeTypes', (t) =>
  t.field({
    type: [GradeTypeInfo],
    description: 'The 63 types of grade, by category, in the order of the interface.',
    resolve: (_root, _args, { domain }) => [...domain.referenceRecords.gradeTypes()],
  }),
);
