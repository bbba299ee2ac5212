import type { Entity } from '../entity/entity.ts';
import { isObject, type JsonObject } from '../json.ts';
import { RawJson } from '../raw-json.ts';
import { companyType, gradeType } from './reference-types.ts';

/** A reference record as REST shows it: its code, its body as stored, and the members that the service sets. */
export const referenceForm = (record: Entity): RawJson => framed(record, record.body.text);

/** A reference record in search results, where a company's head office is only a name and a description. */
export function referenceSummary(record: Entity): RawJson {
  if (record.type !== companyType.name) return referenceForm(record);
  const { headOffice: _shownByName, ...rest } = record.content();
  return framed(record, JSON.stringify(rest));
}

/** The status, which is a differently named member in grades. */
export const referenceStatus = (record: Entity): 'ACTIVE' | 'INACTIVE' =>
  record.at(record.type === gradeType.name ? gradeType.status : 'statusCode') === 'INACTIVE' ? 'INACTIVE' : 'ACTIVE';

/** Puts the members of a body, which always has a name, between the code and the members that the service adds. */
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
