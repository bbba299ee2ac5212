import './building/scalars.ts';
import './health.ts';
import './viewer.ts';
import './session.ts';
import './organization.ts';
import './workspace.ts';
import './document.ts';
import './job.ts';
import './bridge-job.ts';
import './quality-result.ts';
import './quantity-result.ts';
import './time-log-event.ts';
import './load-port-information.ts';
import './document-event.ts';
import './attachment.ts';
import './catalog-record.ts';
import './synonym.ts';
import './port.ts';
import './inland-facility.ts';
import './grade.ts';
import './company.ts';
import './type-schema.ts';
import './completeness.ts';
import './quantity-reconciliation.ts';
import './time-summary.ts';
import './quality-summary.ts';
import './experience-factor.ts';
import './statistics.ts';
import { defaultFieldResolver, type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql';
import { builder } from './building/builder.ts';
import { memberRead } from './building/member.ts';

/** The GraphQL model of the service; its text is committed as schema.graphql. */
export const schema = withoutDefaultResolvers(builder.toSchema());

/** A field that reads the property of its own name needs no resolver: compiled operations then read it in place. */
function withoutDefaultResolvers(built: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(built.getTypeMap())) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const { resolve, name } = field;
      if (resolve === defaultFieldResolver || (resolve && memberRead(resolve) === name)) field.resolve = undefined;
    }
  }
  return built;
}
