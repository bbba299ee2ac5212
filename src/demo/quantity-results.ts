import { Decimal } from '../domain/analysis/decimal.ts';
import { densityConversionOf } from '../domain/analysis/volume-correction/density-conversion.ts';
import { volumeCorrectionTable } from '../domain/analysis/volume-correction/tables.ts';
import { volumeCorrectionOf } from '../domain/analysis/volume-correction/volume-correction.ts';
import { isObject, type JsonObject, valueAt } from '../model/json.ts';
import type { PortCall } from './port-call.ts';
import type { Random } from './random.ts';
import { type Named, type Product, TABLES, TEST_UNITS, UNITS } from './trade-words.ts';
import { wire } from './wire-time.ts';

const CUBIC_METRES_OF_BARREL = 0.158987294928;
/** The fraction that is not free water, and the fraction of sediment and water in that. */
const GROSS = 0.9998;
const SEDIMENT_AND_WATER = 0.0003;
const DAY = 24 * 60 * 60 * 1000;

/** The measurements on both sides, source first: volumes in barrels or cubic metres, and tonnes. */
export function quantityBodies(chance: Random, call: PortCall): JsonObject[] {
  const { body, product, end } = call;
  const vesselIsSource = body.activity === 'discharge';
  const shore = volumeOf(call) * around(chance, 0.0008);
  const vessel = shore * biasOf(call) * around(chance, 0.0012) * (chance.chance(0.05) ? 1.024 : 1);
  const [given, received] = vesselIsSource ? [vessel, shore] : [shore, vessel];
  const side = (direction: string, volume: number, uom: Named): JsonObject => {
    const temperature = places(15 + chance.next() * 20, 1);
    return {
      direction,
      date: wire(end),
      measurements: [...measurements(volume, product.density, uom), ...observed(volume, product, { temperature, uom })],
      densityMethod: 'ASTM D4052',
      density15c: product.density,
      ...gravityAndTable(product),
      meanTemp: { value: temperature, uom: TEST_UNITS.celsius },
      ...{ waterPerc: 0.02, sedimentPerc: 0.01, sedimentWaterPerc: 0.03 },
    } as unknown as JsonObject;
  };
  const usual = product.uom === 'BBL' ? UNITS.BBL : UNITS.M3;
  const other = chance.chance(0.2) ? (usual === UNITS.BBL ? UNITS.M3 : UNITS.BBL) : usual;
  return [side('source', given, usual), side('destination', received, other)];
}

/** The bill of lading of a discharge: slightly more than the vessel delivered. */
export function loadPortBody(
  chance: Random,
  { region, arrival, product }: PortCall,
  quantities: readonly JsonObject[],
): JsonObject {
  const [{ measurements: brought } = { measurements: [] }] = quantities;
  const total = Array.isArray(brought) ? brought.find((one) => valueAt(one, ['code']) === 'TCV') : undefined;
  const uom = valueAt(total, ['uom']) as Named;
  const arrived = Number(valueAt(total, ['value'])) * (uom.xref === UNITS.BBL.xref ? CUBIC_METRES_OF_BARREL : 1);
  const loaded = arrived * (1.0012 + chance.next() * 0.002);
  return {
    billOfLadingDate: wire(new Date(arrival.getTime() - chance.whole(4, 20) * DAY)).slice(0, 10),
    portOfLoading: chance.pick(region.locations.slice(0, 2)),
    measurements: measurements(loaded, product.density, uom),
  } as unknown as JsonObject;
}

/** The volumes at tank temperature, with and without free water, and net of sediment and water. */
function observed(
  cubicMetres: number,
  product: Product,
  { temperature, uom }: { readonly temperature: number; readonly uom: Named },
) {
  const volume = uom.xref === UNITS.BBL.xref ? cubicMetres / CUBIC_METRES_OF_BARREL : cubicMetres;
  const [total, standard] = [places(volume, 3), places(volume * GROSS, 3)];
  const free = places(total - standard, 3);
  const net = { code: 'NSV', name: 'Net standard volume', uom, value: places(standard * (1 - SEDIMENT_AND_WATER), 3) };
  const factor = factorOf(product, temperature);
  if (factor === undefined) return [net];
  const gross = places(standard / factor, 3);
  return [
    { code: 'TOV', name: 'Total observed volume', uom, value: places(gross + free, 3) },
    { code: 'FW', name: 'Free water', uom, value: free },
    { code: 'GOV', name: 'Gross observed volume', uom, value: gross },
    net,
  ];
}

/** Alcohols and esters have their own tables, which need an expansion coefficient. */
const isPetroleum = ({ uom }: Product): boolean => uom !== 'M3';
const isCrude = ({ uom }: Product): boolean => uom === 'BBL';

const tableOf = (product: Product): Named | undefined =>
  isPetroleum(product) ? TABLES[isCrude(product) ? 'crude' : 'products'] : undefined;

function factorOf(product: Product, temperature: number): number | undefined {
  const table = volumeCorrectionTable(tableOf(product)?.xref ?? '');
  if (!table) return undefined;
  const { rounded } = volumeCorrectionOf(table, new Decimal(product.density), new Decimal(temperature));
  return rounded ?? undefined;
}

/** The API gravity, and the volume correction table. */
function gravityAndTable(product: Product) {
  const vcfTable = tableOf(product);
  const found = densityConversionOf({ density15: new Decimal(product.density) }, isCrude(product) ? 'A' : 'B');
  return vcfTable && found && { api: places(found.apiGravity, 1), vcfTable };
}

/** Total calculated volume, gross standard volume (without free water) and its mass, computed from cubic metres. */
function measurements(cubicMetres: number, density: number, uom: Named) {
  const volume = uom.xref === UNITS.BBL.xref ? cubicMetres / CUBIC_METRES_OF_BARREL : cubicMetres;
  return [
    { code: 'TCV', name: 'Total calculated volume', uom, value: places(volume, 3) },
    { code: 'GSV', name: 'Gross standard volume', uom, value: places(volume * GROSS, 3) },
    { code: 'MT', name: 'Weight', uom: UNITS.MT, value: places((cubicMetres * GROSS * density) / 1000, 3) },
  ];
}

function volumeOf({ body, product }: PortCall): number {
  const { quantity } = isObject(body.cargo) ? body.cargo : { quantity: 0 };
  if (product.uom === 'BBL') return Number(quantity) * CUBIC_METRES_OF_BARREL;
  return product.uom === 'MT' ? (Number(quantity) * 1000) / product.density : Number(quantity);
}

/** The bias of a vessel's measurements against the shore's: the same on all its voyages. */
function biasOf({ body, region }: PortCall): number {
  const xref = valueAt((body.transports as readonly unknown[])[0], ['xref']);
  const index = region.vessels.findIndex((vessel) => vessel.xref === xref);
  return 1.0015 - index * 0.0004;
}

const around = (chance: Random, spread: number): number => 1 + (chance.next() * 2 - 1) * spread;
const places = (value: number, count: number): number => Number(value.toFixed(count));
