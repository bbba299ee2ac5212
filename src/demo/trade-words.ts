/** A reference to a catalog record, as in jobs. */
export interface Named {
  readonly xref: string;
  readonly name: string;
}

/** A region: its ports and terminals, and the vessels that call there. All are fictitious. */
export interface Region {
  readonly code: string;
  readonly description: string;
  readonly locations: readonly Named[];
  readonly vessels: readonly Named[];
}

/** A product: the unit of its quantities, its density at 15 °C in kg/m³, and the usual parcel size in that unit. */
export interface Product extends Named {
  readonly uom: 'MT' | 'BBL' | 'M3';
  readonly density: number;
  readonly parcel: readonly [min: number, max: number];
}

export const CARGO_OWNER: Named = { xref: 'ORV', name: 'Orvanta Cargo Trading' };
export const INSPECTION_COMPANY: Named = { xref: 'KSV', name: 'Kestrivan Inspection' };

export const UNITS = {
  MT: { xref: 'MT', name: 'Metric tonnes' },
  BBL: { xref: 'BBL', name: 'Barrels' },
  M3: { xref: 'M3', name: 'Cubic metres' },
} as const satisfies Record<Product['uom'], Named>;

export const PRODUCTS: readonly Product[] = [
  { xref: 'CRU-HL', name: 'Halvern Light crude', uom: 'BBL', density: 842, parcel: [250_000, 950_000] },
  { xref: 'CRU-OD', name: 'Odem Heavy crude', uom: 'BBL', density: 921, parcel: [200_000, 900_000] },
  { xref: 'CND-01', name: 'Condensate', uom: 'BBL', density: 741, parcel: [90_000, 420_000] },
  { xref: 'GAS-95', name: 'Unleaded gasoline 95', uom: 'MT', density: 745, parcel: [8_000, 38_000] },
  { xref: 'ULSD-10', name: 'Ultra-low-sulphur diesel 10 ppm', uom: 'MT', density: 832, parcel: [10_000, 60_000] },
  { xref: 'JET-A1', name: 'Jet fuel A-1', uom: 'MT', density: 801, parcel: [6_000, 45_000] },
  { xref: 'NAP-FR', name: 'Full-range naphtha', uom: 'MT', density: 702, parcel: [12_000, 55_000] },
  { xref: 'FO-380', name: 'Fuel oil 380 cSt', uom: 'MT', density: 985, parcel: [5_000, 80_000] },
  { xref: 'VLSFO', name: 'Very-low-sulphur fuel oil', uom: 'MT', density: 948, parcel: [2_000, 40_000] },
  { xref: 'MEOH', name: 'Methanol', uom: 'M3', density: 796, parcel: [3_000, 25_000] },
  { xref: 'ETOH', name: 'Fuel ethanol', uom: 'M3', density: 794, parcel: [2_500, 20_000] },
  { xref: 'FAME-0', name: 'Biodiesel FAME 0', uom: 'M3', density: 881, parcel: [1_500, 12_000] },
];

/** Numbers with a leading zero look like IMO numbers, but were never assigned to a ship. */
const vessels = (from: number, ...names: string[]): Named[] =>
  names.map((name, index) => ({ xref: `IMO0${from + index * 137}`, name }));

const locations = (code: string, places: Readonly<Record<string, readonly string[]>>): Named[] =>
  Object.entries(places).flatMap(([port, terminals], index) => [
    { xref: `${code}${index + 1}`, name: port },
    ...terminals.map((terminal, jetty) => ({
      xref: `${code}${index + 1}-T${jetty + 1}`,
      name: `${port}, ${terminal}`,
    })),
  ]);

export const REGIONS: readonly Region[] = [
  {
    code: 'NC',
    description: 'Northern coast: crude and products',
    locations: locations('NC', {
      'Port Halvern': ['Oil Jetty 1', 'Oil Jetty 2', 'Northgate Tank Terminal'],
      Stonewick: ['Deepwater Berth', 'Refinery Pier'],
      'Eldmouth Roads': ['Anchorage A'],
      Brannsund: ['East Quay', 'Storage Terminal'],
    }),
    vessels: vessels(
      612_041,
      'Silver Petrel',
      'Aurora Brannsund',
      'Halvern Spirit',
      'Northern Lantern',
      'Grey Fulmar',
      'Stonewick Pioneer',
      'Boreal Tern',
      'Eldmouth Star',
      'Winter Heron',
      'Amber Skua',
      'Polar Thrift',
      'Fjordlight',
    ),
  },
  {
    code: 'IG',
    description: 'Inner gulf: clean products',
    locations: locations('IG', {
      'Port Sahlim': ['Products Jetty 3', 'Products Jetty 4', 'Bulk Terminal'],
      'Ras Odem': ['Single Point Mooring', 'Export Pier'],
      Qasira: ['Inner Harbour', 'Tank Farm'],
    }),
    vessels: vessels(
      734_208,
      'Desert Pearl',
      'Qasira Dawn',
      'Blue Sahlim',
      'Golden Hoopoe',
      'Odem Voyager',
      'Saffron Wind',
      'Copper Moon',
      'Gulf Nightjar',
      'White Oryx',
      'Palm Meridian',
    ),
  },
  {
    code: 'SI',
    description: 'Southern islands: chemicals and biofuels',
    locations: locations('SI', {
      Tamburei: ['Chemical Berth 1', 'Chemical Berth 2'],
      'Port Lisaro': ['Biofuel Terminal', 'Barge Dock', 'West Anchorage'],
      Mokanui: ['Jetty 1'],
      'Serrano Cay': ['Transfer Area'],
    }),
    vessels: vessels(
      851_377,
      'Coral Lisaro',
      'Mokanui Trader',
      'Green Frigatebird',
      'Island Lantern',
      'Jade Current',
      'Serrano Belle',
      'Tamburei Express',
      'Violet Reef',
      'Pandanus',
      'Southern Wrasse',
      'Tidewright',
    ),
  },
];

export const NOTES: readonly string[] = [
  'Samples to be kept for 90 days.',
  'Vessel to be inspected before loading; previous cargo on the last three voyages to be reported.',
  'Please attend the opening of the tanks and report free water.',
  'Composite sample per tank, sealed, one set for the client.',
  'Line displacement before the start; shore figures govern.',
  'Quantity by ship and shore figures with the vessel experience factor.',
  'Agent will confirm the berth 24 hours before arrival.',
  'Ullage survey on arrival and at departure.',
];

/** Units of test results. */
export const TEST_UNITS = {
  density: { xref: 'KGM3', name: 'kg/m3' },
  parts: { xref: 'MGKG', name: 'mg/kg' },
  celsius: { xref: 'CEL', name: '°C' },
  none: { xref: 'NA', name: 'Not applicable' },
} as const satisfies Record<string, Named>;

export const TESTS = {
  density: { test: { xref: 'DENS', name: 'Density at 15 °C' }, method: { xref: 'D4052', name: 'ASTM D4052' } },
  sulphur: { test: { xref: 'SULF', name: 'Sulphur content' }, method: { xref: 'D4294', name: 'ASTM D4294' } },
  water: { test: { xref: 'WATR', name: 'Water content' }, method: { xref: 'D6304', name: 'ASTM D6304' } },
  appearance: { test: { xref: 'APPE', name: 'Appearance' }, method: { xref: 'D4176', name: 'ASTM D4176' } },
} as const satisfies Record<string, { readonly test: Named; readonly method: Named }>;

/** The tables of volume correction factors. */
export const TABLES = {
  crude: { xref: '54A', name: 'ASTM 54A' },
  products: { xref: '54B', name: 'ASTM 54B' },
} as const satisfies Record<string, Named>;

/** The events of a port call. */
export const EVENTS = {
  arrival: { xref: 'EOSP', name: 'End of sea passage' },
  notice: { xref: 'NOR', name: 'Notice of readiness' },
  berth: { xref: 'WAIT', name: 'Waiting for berth' },
  fast: { xref: 'AF', name: 'All fast' },
  transfer: { xref: 'CARGO', name: 'Cargo transfer' },
  weather: { xref: 'WX', name: 'Bad weather' },
  hosesOff: { xref: 'HOFF', name: 'Hoses disconnected' },
  documents: { xref: 'DOC', name: 'Documents on board' },
} as const satisfies Record<string, Named>;
