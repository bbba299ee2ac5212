// Jobs in both shapes by the client that @hey-api/openapi-ts generates from /openapi/bridge.json.
import { equal } from 'node:assert/strict';
import { client } from './generated/bridge/client.gen.ts';
import * as api from './generated/bridge/index.ts';

client.setConfig({ baseUrl: process.env.EXCHANGE_URL ?? '', auth: 'demo-client-key', throwOnError: true });
const mine = { throwOnError: true, headers: { 'Accept-Version': '1.0' } } as const;

const health = await api.bridgeHealthGet({ throwOnError: true });
equal(health.data.transport, 'healthy');
const parties = { client: { xref: 'KESTREL', name: 'Kestrel Oil' }, vendor: { name: 'Harbour Surveys' } };
const shapeB = await api.bridgeJobsCreate({
  ...mine,
  body: { ...parties, refNumber: 'KST-3', jobType: 'Quality', location: { xref: 'NLRTM', name: 'Rotterdam' } },
});
equal(shapeB.data.body.refNumber, 'KST-3');
const object = { xref: 'IMO9100001', name: 'MT Petrel', type: 'vessel', imo: '9100001', imoValid: true };
const shapeA = await api.bridgeJobsSubmit({
  ...mine,
  body: {
    ...parties,
    ...{ jobType: 'Quality', status: 'Nominated', refNumber: 'KST-4', tripNumber: 'T-7', region: 'ARA' },
    ...{ activity: 'Ship to shore', sampleDate: '2026-05-04T08:30:00Z', coordinator: 'C. Marsh', operator: 'O. Vale' },
    inspectionObjects: [{ object, location: { xref: 'NLRTM', type: 'port', name: 'Rotterdam', country: 'NL' } }],
    cargoes: [{ number: 1, product: { xref: 'GO-10', type: 'distillate', name: 'Gas Oil', sensitive: false } }],
  },
});
const listed = await api.bridgeJobsList({ ...mine, query: { limit: 100, sort: 'created_at:desc' } });
// The programs of the other families make jobs meanwhile.
equal(
  listed.data.some(({ id }) => id === shapeA.data.id),
  true,
);
const refused = await api.bridgeJobsSubmit({ body: shapeB.data.body as never, throwOnError: false });
equal(refused.error?.code, 'INVALID_INPUT');
