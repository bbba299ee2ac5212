import type { ResultType } from '../entity/entity-type.ts';
import { datetime, link, reference } from '../fields/schema-parts.ts';
import { JOB_TYPE } from './job.ts';
import { measurements } from './measurement.ts';

export const LOAD_PORT_INFORMATION_TYPE = 'svc.inspection.loadPortInformation';

/** The quantities loaded and the port, which a discharge job needs as well as its quantity results (interface, "Load port information"). */
export const loadPortInformation: ResultType<'load port information'> = {
  name: LOAD_PORT_INFORMATION_TYPE,
  aliases: [],
  noun: 'load port information',
  phrases: { one: 'load port information', all: 'the load port information' },
  parentType: JOB_TYPE,
  required: ['parent'],
  graphqlNames: { hide: ['workspace', 'parent'] },
  schema: {
    title: 'Load port information',
    type: 'object',
    properties: {
      workspace: link('workspace', 'The workspace that it belongs to; filled in from the path.'),
      parent: link('document', 'The job that it belongs to.'),
      billOfLadingDate: datetime(
        'The date of the bill of lading, the receipt for the cargo that states what was loaded.',
      ),
      portOfLoading: reference('locations', 'The original port of loading, where the figures were taken.'),
      measurements,
    },
  },
};
