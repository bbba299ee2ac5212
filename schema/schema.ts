import './scalars.ts';
import './health.ts';
import './viewer.ts';
import './organization.ts';
import './workspace.ts';
import './document.ts';
import './job.ts';
import './catalog-record.ts';
import { builder } from './builder.ts';

/** The GraphQL model of the service; its text is committed as schema.graphql. */
export const schema = builder.toSchema();
