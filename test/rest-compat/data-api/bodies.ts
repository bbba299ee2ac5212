import type { TestWorkspace } from '../../service.ts';

/** A JSON object that a test takes apart. */
export type Body = Record<string, unknown>;

const inspectionObject = {
  object: { xref: 'IMO9100001', name: 'MT Petrel', type: 'vessel', imo: '9100001', imoValid: true, flag: 'MT' },
  location: { xref: 'NLRTM', type: 'port', name: 'Rotterdam', country: 'NL', berth: 7 },
};

const cargo = {
  number: 1,
  product: {
    xref: 'GO-10',
    type: 'middle distillate',
    name: 'Gas Oil',
    code: 'GO',
    description: '10 ppm',
    sensitive: false,
    density: 0.84,
  },
  volume: { value: 30_000.5, uom: { xref: 'BBL', name: 'Barrel', abbr: 'bbl' }, at: '15 °C' },
  volumeType: 'gross',
  tolerance: '5%',
  vcfTable: '54B',
};

/** Shape A with every member of the interface, and some unknown ones. */
export const shapeA = ({ names }: TestWorkspace) => ({
  parent: null,
  jobType: 'Quality and quantity',
  status: 'Nominated',
  refNumber: 'KST-2041',
  tripNumber: 'T-7',
  region: 'ARA',
  activity: 'Ship to shore',
  international: true,
  eta: '2026-05-01T06:00:00+02:00',
  etc: '2026-05-02',
  notes: 'Line 1\nLine 2 — "quoted" \\ 😀',
  retain: true,
  retainDays: 90,
  sampleDate: '2026-05-01T08:30:00.123456Z',
  coordinator: 'C. Ordinator',
  operator: 'O. Perator',
  split: 0.5,
  inspectors: [{ role: 'lead', inspector: 'I. Nspector', since: 2019 }],
  confirmedWith: 'The agent',
  vendor: { name: names.vendor, xref: 'V-1', branch: 'North' },
  client: { name: names.client, xref: 'C-1' },
  inspectionObjects: [
    inspectionObject,
    {
      object: { xref: 'IMO9100002', name: 'MT Skua', type: 'barge', imo: '9100002', imoValid: false },
      location: { xref: 'BEANR', type: 'port', name: 'Antwerp', country: 'BE' },
      side: 'port',
    },
  ],
  cargoes: [cargo, { number: 2, product: { xref: 'JET', type: 'kerosene', name: 'Jet A-1', sensitive: true } }],
  custom: { nested: [1, { deep: null }] },
});

/** Shape B with every member of the interface, and some unknown ones. */
export const shapeB = ({ names }: TestWorkspace) => ({
  parent: null,
  xref: null,
  refNumber: 'KST-2042',
  tripNumber: 'T-8',
  jobType: 'Quality',
  status: 'Nominated',
  activity: 'Ship to shore',
  eta: '2026-05-01T06:00:00+02:00',
  etc: '2026-05-02',
  notes: 'None.',
  location: { id: null, xref: 'NLRTM', name: 'Rotterdam', type: 'port', region: 'ARA', country: 'NL', berth: 7 },
  transports: [
    { type: 'vessel', id: null, xref: 'IMO9100001', name: 'MT Petrel' },
    { type: 'barge', xref: 'IMO9100002', name: 'MT Skua', flag: 'MT' },
  ],
  cargo: {
    product: { id: null, xref: 'GO-10', name: 'Gas Oil', type: 'middle distillate' },
    quantity: { value: 30_000.5, uom: { id: null, xref: 'BBL', name: 'Barrel', abbr: 'bbl' }, at: '15 °C' },
    description: 'Gas oil, 10 ppm',
    sensitive: false,
    density: 0.84,
  },
  requested: { quality: true, quantity: false, timelog: true },
  client: { id: null, xref: 'C-1', name: names.client },
  vendor: { xref: 'V-1', name: names.vendor, branch: 'North' },
  assignees: [{ role: 'lead', user: 'I. Nspector', since: 2019 }],
  inspectors: [{ role: 'lead', inspector: 'I. Nspector', since: 2019 }],
  custom: { nested: [1, { deep: null }] },
});

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** A body without the ids the Data API adds to references; ids sent as null are not additions either. */
export function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  const { id, ...rest } = value as Body;
  const isAdded = id === undefined || id === null || (typeof id === 'string' && UUID.test(id));
  const members = Object.entries(isAdded ? rest : value).map(([name, member]) => [name, withoutIds(member)]);
  return Object.fromEntries(members);
}

/** The submit form: Shape A without `retain`. */
export function submitted(workspace: TestWorkspace): Body {
  const { retain: _, ...body } = shapeA(workspace);
  return body;
}
