// Reference records by the client that @hey-api/openapi-ts generates from /openapi/reference.json, with a session.
import { deepEqual, equal } from 'node:assert/strict';
import { client } from './generated/reference/client.gen.ts';
import * as api from './generated/reference/index.ts';

client.setConfig({ baseUrl: process.env.EXCHANGE_URL ?? '', throwOnError: true });
const body = { username: 'client@demo.example', password: 'demo-password' };
const signedIn = await api.referenceSessionCreate({ body, throwOnError: true });
equal(signedIn.data.username, body.username);
const [cookie = ''] = signedIn.response.headers.get('Set-Cookie')?.split(';') ?? [];
const session = { headers: { Cookie: cookie, 'X-Requested-With': 'fetch' }, throwOnError: true } as const;
const clientCode = `NL RTM/${crypto.randomUUID()}`;

const port = await api.referencePortsPut({
  ...session,
  path: { clientCode },
  body: { name: 'Rotterdam', countryCode: 'NL', latitudeDeg: 51, latitudeNs: 'N', statusCode: 'ACTIVE' },
});
equal(port.response.status, 201);
equal(port.data.latitudeNs, 'N');
await api.referenceGradesPut({
  ...session,
  path: { clientCode },
  body: {
    name: 'Gas oil 0.1%',
    gradeTypeCode: 'NDP_DIESEL_FUELS',
    gradeStatusCode: 'ACTIVE',
    description: '10 ppm',
    isSensitive: false,
  },
});
await api.referenceInlandFacilitiesPut({ ...session, path: { clientCode }, body: { name: 'Tank farm 1' } });
const headOffice = { name: 'Kestrel House', contact: { emails: [{ address: 'office@kestrel.example' }] } };
await api.referenceCompaniesPut({
  ...session,
  path: { clientCode },
  body: { name: 'Kestrel Oil', companyRoles: ['SHIPPER'], headOffice },
});
const contact = await api.referenceCompaniesGetContact({ ...session, path: { clientCode } });
equal(contact.data.headOfficeName, 'Kestrel House');
const found = await api.referencePortsSearch({ ...session, query: { clientCodes: JSON.stringify([clientCode]) } });
deepEqual(
  found.data.results.map(({ name }) => name),
  ['Rotterdam'],
);
const left = await api.referencePortsDelete({ ...session, path: { clientCode } });
equal(left.data.statusCode, 'INACTIVE');
await api.referenceSessionDelete(session);
const gone = await api.referenceSessionGet({ ...session, throwOnError: false });
equal(gone.error?.code, 'UNAUTHENTICATED');
