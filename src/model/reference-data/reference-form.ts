import type { Entity } from '../entity/entity.ts';
import { isObject, type JsonObject } from '../json.ts';
import { RawJson } from '../raw-json.ts';
import { companyType, gradeType } from './reference-types.ts';

/** A reference record as REST shows it: its code, its body as it is kept, and what the service says of it. */
export const referenceForm = (record: Entity): RawJson => framed(record, record.body.text);

/** The same in search results, where a company shows its head office by name and description alone. */
export function referenceSummary(record: Entity): RawJson {
  if (record.type !== companyType.name) return referenceForm(record);
  const { headOffice: _shownByName, ...rest } = record.content();
  return framed(record, JSON.stringify(rest));
}

/** ACTIVE or INACTIVE, whatever the member is called that says so. */
export const referenceStatus = (record: Entity): 'ACTIVE' | 'INACTIVE' =>
  record.at(record.type === gradeType.name ? gradeType.status : 'statusCode') === 'INACTIVE' ? 'INACTIVE' : 'ACTIVE';

/** The members of a body, which has a name at least, between the code and what the service adds. */
function framed(record: Entity, body: string): RawJson {
  const code = JSON.stringify(record.stored('code'));
  const added = JSON.stringify({ ...headOfficeOf(record), ...auditOf(record) });
  return new RawJson(`{"clientCode":${code},${body.slice(1, -1)},${added.slice(1)}`);
}

function headOfficeOf(record: Entity): JsonObject {
  if (record.type !== companyType.name) return {};
  const headOffice = record.at('headOffice');
  const { name = null, description = null } = isObject(headOffice) ? headOffice : {};
  return { headOfficeName: name, headOfficeDescription: description };
}

const auditOf = (record: Entity): JsonObject => ({
  dateCreated: record.createdAt.toISOString(),
  creator: String(record.stored('creator')),
  dateModified: record.modifiedAt.toISOString(),
  modifier: String(record.stored('modifier')),
});
