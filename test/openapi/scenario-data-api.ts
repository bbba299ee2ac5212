import type { Send } from './scenario-fixture.ts';

const PARTIES = {
  client: { xref: 'KESTREL', name: 'Kestrel Oil' },
  vendor: { xref: 'HS-ROTTERDAM', name: 'Harbour Surveys' },
};

/** The members of every job of Shape A here. */
const INSPECTION = {
  jobType: 'Quality and quantity',
  status: 'Nominated',
  international: true,
  eta: '2026-05-04T06:00:00+02:00',
  ...PARTIES,
  inspectionObjects: [
    {
      object: { xref: 'IMO9100001', name: 'MT Petrel', type: 'vessel', imo: '9100001', imoValid: true },
      location: { xref: 'NLRTM', type: 'port', name: 'Rotterdam', country: 'NL' },
    },
  ],
  cargoes: [
    {
      number: 1,
      product: { xref: 'GO-10', type: 'middle distillate', name: 'Gas Oil', sensitive: false },
      volume: { value: 30_000.5, uom: { xref: 'BBL', name: 'Barrel', abbr: 'bbl' } },
      tolerance: '5%',
    },
  ],
};

const SUBMITTED = {
  ...INSPECTION,
  refNumber: 'KST-2044',
  tripNumber: 'T-7',
  region: 'ARA',
  activity: 'Ship to shore',
  sampleDate: '2026-05-04T08:30:00Z',
  coordinator: 'C. Marsh',
  operator: 'O. Vale',
  inspectors: [{ role: 'lead', inspector: 'I. Reed' }],
};

/** Every endpoint of the Data API except health. */
export async function runDataApiScenario(send: Send): Promise<void> {
  const created = { ...INSPECTION, refNumber: 'KST-2043', retain: true, retainDays: 90 };
  await send('bridge.jobs.create', { name: 'Shape A, to create', body: created });
  await send('bridge.jobs.create', { name: 'Shape A, to submit', body: SUBMITTED });
  await send('bridge.jobs.create', {
    name: 'Shape B',
    body: {
      parent: null,
      xref: 'K-45',
      refNumber: 'KST-2045',
      jobType: 'Quality',
      status: 'Nominated',
      eta: '2026-05-04T06:00:00+02:00',
      location: { id: null, xref: 'NLRTM', name: 'Rotterdam', type: 'port', region: 'ARA', country: 'NL' },
      transports: [{ type: 'vessel', id: null, xref: 'IMO9100001', name: 'MT Petrel' }],
      cargo: {
        product: { id: null, xref: 'GO-10', name: 'Gas Oil', type: 'middle distillate' },
        quantity: { value: 30_000.5, uom: { id: null, xref: 'BBL', name: 'Barrel' } },
        description: 'Gas oil, 10 ppm',
        sensitive: false,
      },
      requested: { quality: true, quantity: false, timelog: true },
      ...PARTIES,
      assignees: [{ role: 'lead', user: 'I. Reed' }],
    },
  });
  await send('bridge.jobs.submit', { body: { ...SUBMITTED, refNumber: 'KST-2046' } });
  await send('bridge.jobs.list', { as: 'vendor', query: 'sort=body.refNumber:desc&limit=2' });
}
