/** One kind of report on a job, with what tests of all kinds need. */
export interface Kind {
  /** The noun in the legacy path, the v2 document type, and the GraphQL name. */
  readonly path: string;
  readonly type: string;
  readonly name: string;
  /** Everything the interface names, and an unknown member. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The positions of its catalog references. */
  readonly references: readonly string[];
  /** Filters that match it, and some that do not. */
  readonly fits: readonly string[];
  readonly misfits: readonly string[];
  readonly sort: string;
  readonly wrong: readonly (readonly [body: object, path: string])[];
}

const measurements = [
  { code: 'G1', name: 'GSV', uom: { xref: 'M3', name: 'm3' }, value: 1203.5 },
  { name: 'TCV', uom: { name: 'bbl' }, value: 7569.9 },
];

/** The reports on a job. */
export const KINDS: readonly Kind[] = [
  {
    path: 'quality',
    type: 'svc.inspection.qualityResult',
    name: 'QualityResult',
    body: {
      status: 'preliminary',
      setNumber: 2,
      coaId: 'COA-1',
      testNumber: 1,
      sample: { refNumber: 'S-1', description: 'Shore tank', sealNumber: '77', sampleNumber: '3', location: 'T12' },
      test: { xref: 'DENS', name: 'Density' },
      method: { name: 'ASTM D4052' },
      uom: { name: 'kg/m3' },
      testDate: '2026-05-01T10:00:00+02:00',
      resultOperator: 'eq',
      result: '843.2',
      comment: 'First of two',
      isRetestNeeded: false,
      isOffSpec: true,
      isPassed: false,
      isPreviouslySubmitted: false,
      isPerformed: true,
      propertyIsNumeric: true,
      propertyName: 'density',
      lab: { bench: [4, null] },
    },
    references: ['test', 'method', 'uom'],
    fits: ['status=preliminary', 'setNumber=2', 'sample.location=T12', 'test.xref=DENS', 'method.name=ASTM%20D4052']
      .concat('date=2026-05-01T08:00:00Z', 'testDate=2026-05-01T08:00:00Z', 'notes=First%20of%20two', 'isOffSpec=true')
      .concat('status=confirmed&status=preliminary', 'coaId=COA-1&result=843.2', 'body.result=843.2'),
    misfits: ['status=confirmed', 'result=843', 'sample.location=t12', 'comment=null', 'isOffSpec=false'],
    sort: 'setNumber:desc,date',
    wrong: [
      [{ status: 'maybe' }, '/status'],
      [{ setNumber: 1.5 }, '/setNumber'],
      [{ result: 7 }, '/result'],
      [{ resultOperator: '<' }, '/resultOperator'],
      [{ test: {} }, '/test'],
      [{ testDate: 'soon' }, '/testDate'],
      [{ notes: 'a', comment: 'b' }, '/notes'],
    ],
  },
  {
    path: 'quantity',
    type: 'svc.inspection.quantityResult',
    name: 'QuantityResult',
    body: {
      date: '2026-05-02',
      direction: 'source',
      activeShoreTank: false,
      measurements,
      waterMethod: 'Karl Fischer',
      sedimentMethod: 'Extraction',
      densityMethod: 'ASTM D4052',
      waterPerc: 0.05,
      sedimentPerc: 0.01,
      sedimentWaterPerc: 0.06,
      density15c: 0.8432,
      meanTemp: { value: 15.5, uom: { name: 'C' } },
      vcftable: { name: '54B' },
      api: 36.2,
      gauge: 'manual',
    },
    references: ['vcftable', 'meanTemp.uom', 'measurements.0.uom', 'measurements.1.uom'],
    fits: [
      'direction=source',
      'measurements.name=TCV',
      'measurements.uom.xref=M3',
      'meanTemp.value=15.5',
      'api=36.2',
    ].concat('vcfTable.name=54B', 'vcftable.name=54B', 'date=2026-05-02T00:00:00Z', 'meanTemp.uom.name=C'),
    misfits: ['direction=destination', 'vcfTable=null', 'api=36', 'activeShoreTank=true'],
    sort: 'direction,api:desc',
    wrong: [
      [{ direction: 'up' }, '/direction'],
      [{ api: '36' }, '/api'],
      [{ measurements: [{ value: 'much' }] }, '/measurements/0/value'],
      [{ meanTemp: { uom: { name: null } } }, '/meanTemp/uom'],
    ],
  },
  {
    path: 'timelog',
    type: 'svc.inspection.timelog',
    name: 'TimeLogEvent',
    body: {
      type: { xref: 'NOR', name: 'Notice of readiness' },
      category: 'event',
      start: '2026-05-01T06:00:00Z',
      end: '2026-05-01T07:30:00+00:00',
      notes: 'By radio',
      berth: 3,
    },
    references: ['type'],
    fits: ['category=event', 'type.xref=NOR', 'start=2026-05-01T08:00:00%2B02:00', 'notes=By%20radio'],
    misfits: ['category=delay', 'type=null', 'end=2026-05-01'],
    sort: 'start:asc,end:desc',
    wrong: [
      [{ category: 'party' }, '/category'],
      [{ start: '2026-05-02T00:00:00Z', end: '2026-05-01T00:00:00Z' }, '/end'],
      [{ type: 7 }, '/type'],
    ],
  },
  {
    path: 'load-port-information',
    type: 'svc.inspection.loadPortInformation',
    name: 'LoadPortInformation',
    body: { billOfLadingDate: '2026-04-20', portOfLoading: { name: 'Ras Tanura' }, measurements, agent: 'Inchcape' },
    references: ['portOfLoading', 'measurements.0.uom', 'measurements.1.uom'],
    fits: ['billOfLadingDate=2026-04-20', 'portOfLoading.name=Ras%20Tanura', 'measurements.value=1203.5'],
    misfits: ['portOfLoading=null', 'measurements.code=G2'],
    sort: 'billOfLadingDate',
    wrong: [
      [{ billOfLadingDate: 'May' }, '/billOfLadingDate'],
      [{ portOfLoading: 'Ras Tanura' }, '/portOfLoading'],
      [{ measurements: {} }, '/measurements'],
    ],
  },
];
