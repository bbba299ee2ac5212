import { isObject, type JsonObject, valueAt } from '../model/json.ts';
import type { PortCall } from './port-call.ts';
import type { Random } from './random.ts';
import { type Named, TEST_UNITS, UNITS } from './trade-words.ts';
import { wire } from './wire-time.ts';

const CUBIC_METRES_OF_BARREL = 0.158987294928;
const DAY = 24 * 60 * 60 * 1000;

/** The measurements on both sides, source first: volumes in barrels or cubic metres, and tonnes. */
export function quantityBodies(chance: Random, call: PortCall): JsonObject[] {
  const { body, product, end } = call;
  const vesselIsSource = body.activity === 'discharge';
  const shore = volumeOf(call) * around(chance, 0.0008);
  const vessel = shore * biasOf(call) * around(chance, 0.0012) * (chance.chance(0.05) ? 1.024 : 1);
  const [given, received] = vesselIsSource ? [vessel, shore] : [shore, vessel];
  const side = (direction: string, volume: number, uom: Named): JsonObject =>
    ({
      direction,
      date: wire(end),
      measurements: measurements(volume, product.density, uom),
      densityMethod: 'ASTM D4052',
      density15c: product.density,
      meanTemp: { value: places(15 + chance.next() * 20, 1), uom: TEST_UNITS.celsius },
      waterPerc: 0.02,
    }) as unknown as JsonObject;
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

/** Total calculated volume, gross standard volume (without free water) and its mass, computed from cubic metres. */
function measurements(cubicMetres: number, density: number, uom: Named) {
  const volume = uom.xref === UNITS.BBL.xref ? cubicMetres / CUBIC_METRES_OF_BARREL : cubicMetres;
  const gross = 0.9998;
  return [
    { code: 'TCV', name: 'Total calculated volume', uom, value: places(volume, 3) },
    { code: 'GSV', name: 'Gross standard volume', uom, value: places(volume * gross, 3) },
    { code: 'MT', name: 'Weight', uom: UNITS.MT, value: places((cubicMetres * gross * density) / 1000, 3) },
  ];
}

function volumeOf({ body, product }: PortCall): number {
  const { quantity } = isObject(body.cargo) ? body.cargo : { quantity: 0 };
  if (product.uom === 'BBL') return Number(quantity) * CUBIC_METRES_OF_BARREL;
  return product.uom === 'MT' ? (Number(quantity) * 1000) / product.density : Number(quantity);
}

/** How a vessel measures against the shore: the same on all of its voyages. */
function biasOf({ body, region }: PortCall): number {
  const xref = valueAt((body.transports as readonly unknown[])[0], ['xref']);
  const index = region.vessels.findIndex((vessel) => vessel.xref === xref);
  return 1.0015 - index * 0.0004;
}

const around = (chance: Random, spread: number): number => 1 + (chance.next() * 2 - 1) * spread;
const places = (value: number, count: number): number => Number(value.toFixed(count));
