import type { Entity } from '../src/model/entity/entity.ts';
import { companyType } from '../src/model/reference-data/reference-types.ts';
import { bodyFields } from './building/body-fields.ts';
import { builder } from './building/builder.ts';
import { member } from './building/member.ts';
import { ownMembers, ReferenceRecordRef, referenceNoun } from './reference-record.ts';

const CompanyRef = builder.objectRef<Entity>('Company').implement({
  description: 'A company with its head office, as a tenant describes it in its reference data.',
  interfaces: [ReferenceRecordRef],
  fields: (t) => ({
    ...bodyFields(t, companyType.schema, {
      read: (part) => member<unknown>(part),
      names: { hide: [...ownMembers(companyType), 'companyRoles'] },
    }),
    headOfficeName: t.string({
      nullable: true,
      description: 'The name of the head office.',
      resolve: (company) => company.at('headOffice', 'name') as string | null | undefined,
    }),
    headOfficeDescription: t.string({
      nullable: true,
      description: 'The description of the head office.',
      resolve: (company) => company.at('headOffice', 'description') as string | null | undefined,
    }),
    companyRoles: t.stringList({
      description: 'The roles of the company.',
      resolve: member<string[]>('companyRoles'),
    }),
  }),
});

referenceNoun({ type: companyType, name: 'Company', ref: CompanyRef, one: 'company', many: 'companies' });
