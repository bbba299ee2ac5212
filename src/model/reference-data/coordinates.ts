/** A place on the earth in decimal degrees: north and east are positive. */
export interface Coordinates {
  readonly latitude: number;
  readonly longitude: number;
}

/** Reads one member of a location's body. */
type ReadMember = (name: string) => unknown;

/** Degrees, minutes and seconds as unsigned decimal degrees; undefined without degrees. */
export function decimalDegrees(read: ReadMember, axis: 'latitude' | 'longitude'): number | undefined {
  const part = (unit: string): number => {
    const value = read(`${axis}${unit}`);
    return typeof value === 'number' ? value : 0;
  };
  if (typeof read(`${axis}Deg`) !== 'number') return undefined;
  return part('Deg') + part('Min') / 60 + part('Sec') / 3600;
}

/** Seven digits: about a centimetre. */
const rounded = (degrees: number): number => Math.round(degrees * 1e7) / 1e7;

/** The coordinates of a location; undefined unless it has degrees and side for both axes. */
export function coordinatesOf(read: ReadMember): Coordinates | undefined {
  const [latitude, longitude] = [decimalDegrees(read, 'latitude'), decimalDegrees(read, 'longitude')];
  const [ns, we] = [read('latitudeNs'), read('longitudeWe')];
  if (latitude === undefined || longitude === undefined) return undefined;
  if (typeof ns !== 'string' || typeof we !== 'string') return undefined;
  return {
    latitude: rounded(ns === 'S' ? -latitude : latitude),
    longitude: rounded(we === 'W' ? -longitude : longitude),
  };
}
