import { DEMO_TENANTS } from '../../src/demo/principals.ts';
import { nameKey } from '../../src/model/catalogs.ts';
import type { StoredReferenceRecord } from '../../src/model/entity/entity.ts';
import { portType } from '../../src/model/reference-data/reference-types.ts';
import type { Stores } from '../../src/store/stores.ts';

const TENANT = DEMO_TENANTS.client;
const BATCH = 1_000;

/** The time at which the first port was written; each further one follows a second later. */
export const FIRST_WRITTEN = Date.UTC(2026, 0, 1);

/** The code of a port by its number; ports are not written in code order. */
export const portCode = (number: number): string => `P${String((number * 7_919) % 1_000_000).padStart(6, '0')}`;

/** Stores ports of the demo's client, as PUTs would leave them, until there are `count`. */
export async function fillPorts({ db, referenceRecords, transaction }: Stores, count: number): Promise<void> {
  const present = await db.collection('reference_records').countDocuments({ type: portType.name });
  for (let from = present; from < count; from += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => storedPort(from + i));
    await transaction((tx) => referenceRecords.add(batch, tx));
  }
}

function storedPort(number: number): StoredReferenceRecord {
  const at = new Date(FIRST_WRITTEN + number * 1_000);
  const id = `0190b000-0000-5000-8000-${String(number).padStart(12, '0')}`;
  const [latitude, longitude] = [number % 90, (number * 7) % 180];
  const body = {
    name: `Port ${number} of the north`,
    countryCode: 'NL',
    geoRegionCode: 'NWE',
    latitudeDeg: latitude,
    latitudeMin: number % 60,
    latitudeSec: 0,
    latitudeNs: 'N',
    longitudeDeg: longitude,
    longitudeMin: 8,
    longitudeSec: 30,
    longitudeWe: 'E',
    statusCode: 'ACTIVE',
    restrictions: 'Draught 22.5 m at all tides; no night berthing',
    generalComments: 'Pilotage is compulsory from the outer roads',
  };
  return {
    _id: id,
    workspace: null,
    type: portType.name,
    readers: [TENANT],
    version_id: id,
    revision: 1,
    parent_id: null,
    created_by: id,
    created_at: at,
    modified_by: id,
    modified_at: at,
    body,
    tenant: TENANT,
    code: portCode(number),
    name_key: nameKey(body.name),
    creator: 'Bench',
    modifier: 'Bench',
    position: { type: 'Point', coordinates: [longitude + 8.5 / 60, latitude + (number % 60) / 60] },
  };
}
