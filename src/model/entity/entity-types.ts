import { CATALOG_NAME } from '../catalogs.ts';
import { datetime, link, object, oneOf, text } from '../fields/schema-parts.ts';
import { attachmentType } from './attachment-type.ts';
import type { EntityType } from './entity-type.ts';

const ORGANIZATION_CATEGORIES = ['shipper', 'inspector'] as const;

/** A registry entry for a party (interface, "Organization"). */
export const organizationType: EntityType = {
  name: 'svc.bridge.organization',
  aliases: [],
  noun: 'organization',
  required: ['name'],
  schema: {
    title: 'Organization',
    type: 'object',
    properties: {
      name: {
        type: 'string',
        pattern: '\\S',
        description: 'Unique among all organizations; letter case, and characters that cannot be seen, do not matter.',
      },
      audience: {
        description: "The owner's identity tenant; attached by the service, ignored in requests.",
        'x-link': 'tenant',
      },
      category: oneOf(ORGANIZATION_CATEGORIES, 'Helps to search partners.'),
    },
    required: ['name'],
  },
};

const party = (role: string, other: string) => ({
  type: 'object',
  properties: {
    id: { type: 'string', format: 'uuid', 'x-link': 'organization', description: `The ${role}'s organization.` },
    xref: text(`The ${role}'s identifier in the ${other}'s system.`),
  },
  required: ['id'],
});

/** The shared context of exactly two parties (interface, "Workspace"). */
export const workspaceType: EntityType = {
  name: 'svc.bridge.workspace',
  aliases: [],
  noun: 'workspace',
  required: ['parties'],
  graphqlNames: {
    flatten: ['parties'],
    rename: { 'parties.client.id': 'organization', 'parties.vendor.id': 'organization' },
  },
  schema: {
    title: 'Workspace',
    type: 'object',
    properties: {
      description: text(),
      parties: {
        type: 'object',
        properties: { client: party('client', 'vendor'), vendor: party('vendor', 'client') },
        required: ['client', 'vendor'],
      },
    },
    required: ['parties'],
  },
};

/** A record of a workspace's catalog, called external reference in v2 (interface, "External reference record"). */
export const catalogRecordType: EntityType = {
  name: 'svc.bridge.externalReference',
  aliases: [],
  noun: 'catalog record',
  required: ['name'],
  graphqlNames: { hide: ['workspace'], rename: { xtype: 'catalog', ownerParty: 'owner' } },
  schema: {
    title: 'External reference',
    type: 'object',
    properties: {
      workspace: link('workspace'),
      xtype: { type: ['string', 'null'], pattern: CATALOG_NAME, description: 'The catalog.' },
      ownerParty: link('organization', 'The organization of the party that created the record.'),
      name: { type: 'string', pattern: '\\S' },
      xref: text("The record's id in the owner's own system."),
    },
    required: ['name'],
  },
};

/** A link between two records that describe the same item; it has no direction (interface, "Synonym"). */
export const synonymType: EntityType = {
  name: 'svc.bridge.synonym',
  aliases: [],
  noun: 'synonym',
  required: ['workspace', 'baseItem', 'linkedItem'],
  graphqlNames: { hide: ['workspace'] },
  schema: {
    title: 'Synonym',
    type: 'object',
    properties: {
      workspace: link('workspace', 'The workspace of both records.'),
      baseItem: link('catalog record', 'One of the two records.'),
      linkedItem: link('catalog record', 'The other one.'),
    },
  },
};

/** Every type of entity that is not a document. */
export const ENTITY_TYPES: readonly EntityType[] = [
  organizationType,
  workspaceType,
  attachmentType,
  catalogRecordType,
  synonymType,
];

/** The envelope's own fields, under their wire names, for filters and sort (interface, "Entity envelope"). */
export const ENVELOPE = object({
  id: link('entity', 'The id.'),
  version_id: link('version', 'The id of the current version.'),
  parent_id: link('document', 'The document that it belongs to.'),
  created_by: link('principal', 'The principal that created it.'),
  created_at: datetime('When it was created.'),
  modified_by: link('principal', 'The principal that made the current version.'),
  modified_at: datetime('When the current version was made.'),
  type: text('The name of its type.'),
});
