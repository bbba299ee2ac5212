import type { Entity } from '../../model/entity/entity.ts';

/** The JSON of a record's body as the parties wrote it, without the members set by the service. */
export function itemText(record: Entity): string {
  const body = JSON.parse(record.body.text) as Record<string, unknown>; // changed in place: it may have very many members
  body.workspace = undefined;
  body.xtype = undefined;
  body.ownerParty = undefined;
  return JSON.stringify(body);
}
