import type { Send } from './scenario-fixture.ts';

const ROTTERDAM = {
  name: 'Rotterdam',
  countryCode: 'NL',
  geoRegionCode: 'NWE',
  latitudeDeg: 51,
  latitudeMin: 57,
  latitudeSec: 0,
  latitudeNs: 'N',
  longitudeDeg: 4,
  longitudeMin: 8,
  longitudeSec: 30,
  longitudeWe: 'E',
  statusCode: 'ACTIVE',
  restrictions: 'Draught 22.5 m',
};

const GAS_OIL = {
  name: 'Gas oil 0.1%',
  gradeTypeCode: 'NDP_DIESEL_FUELS',
  description: 'Low sulfur gas oil',
  gradeStatusCode: 'ACTIVE',
  isSensitive: false,
};

const KESTREL = {
  name: 'Kestrel Oil',
  companyRoles: ['SHIPPER'],
  headOffice: {
    name: 'Kestrel House',
    description: 'Head office',
    contact: {
      addresses: [
        { isPreferred: true, address: '1 Quay', city: 'Rotterdam', countryCode: 'NL', addressTypeCode: 'WORK' },
      ],
      emails: [{ isPreferred: true, address: 'office@kestrel.example', emailTypeCode: 'WORK' }],
      urls: [],
      phones: [{ isPreferred: true, phoneNumber: '+31 10 555 0100', phoneTypeCode: 'WORK' }],
    },
  },
};

/** Every endpoint of the Reference API. */
export async function runReferenceScenario(send: Send): Promise<void> {
  const catalogs = [
    ['ports', 'NLRTM', ROTTERDAM, 'NLAMS', 'Amsterdam'],
    ['inlandFacilities', 'TF-1', { ...ROTTERDAM, name: 'Tank farm 1' }, 'TF-2', 'Tank farm 2'],
    ['grades', 'GO-01', GAS_OIL, 'GO-10', 'Gas oil 10 ppm'],
    ['companies', 'KESTREL', KESTREL, 'HARBOUR', 'Harbour Surveys'],
  ] as const;
  for (const [many, clientCode, body, another, name] of catalogs) {
    const at = { clientCode };
    await send(`reference.${many}.put`, { name: 'created', at, body });
    await send(`reference.${many}.put`, { name: 'replaced', at, body });
    await send(`reference.${many}.put`, { at: { clientCode: another }, body: { ...body, name }, name: 'created' });
    await send(`reference.${many}.get`, { at });
    await send(`reference.${many}.search`, { query: 'resultsPerPage=2' });
    await send(`reference.${many}.delete`, { at: { clientCode: another } });
  }
  await send('reference.companies.getContact', { at: { clientCode: 'KESTREL' } });
}
