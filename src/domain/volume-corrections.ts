import { invalidInput, throwIfInvalid, type Violation } from '../errors.ts';
import { Decimal } from './analysis/decimal.ts';
import {
  type DensityConversion,
  densityConversionOf,
  type GivenDensity,
  LIQUIDS,
} from './analysis/volume-correction/density-conversion.ts';
import { type Commodity, relativeDensityOf } from './analysis/volume-correction/product-groups.ts';
import { ENTRIES, type Entry, TABLE_NAMES, volumeCorrectionTable } from './analysis/volume-correction/tables.ts';
import { type VolumeCorrection, volumeCorrectionOf } from './analysis/volume-correction/volume-correction.ts';
import type { RequestContext } from './request/request-context.ts';

type Given<Name extends string> = { readonly [name in Name]?: number | null | undefined };

/** The entries of a volume correction table. */
type CorrectionRequest = Given<Entry> & { readonly table: string; readonly temperature: number };
/** One density, and the product group whose expansion applies. */
type ConversionRequest = Given<'density15' | 'apiGravity' | 'relativeDensity'> & { readonly group: string };

const COMMODITIES: readonly string[] = ['A', 'B', 'D'] satisfies Commodity[];

/** Volume corrections and density conversions (docs/calculations.md): the same for every caller with a key. */
export class VolumeCorrections {
  constructor(ctx: RequestContext) {
    ctx.readStores(); // checks the scope
  }

  /** INVALID_INPUT for an unknown table, and for a missing, superfluous or non-positive entry. */
  correction(request: CorrectionRequest): VolumeCorrection {
    const table = volumeCorrectionTable(request.table);
    if (!table) throw refused('table', `must be one of ${TABLE_NAMES.join(', ')}.`);
    const violations = ENTRIES.flatMap((entry): Violation[] => {
      const isGiven = typeof request[entry] === 'number';
      if (entry === table.entry && !isGiven) return [violation(entry, `must be given for table ${table.name}.`)];
      if (entry !== table.entry && isGiven) return [violation(entry, `is not an entry of table ${table.name}.`)];
      return isGiven ? notPositive(entry, request[entry] as number) : [];
    });
    throwIfInvalid(violations);
    return volumeCorrectionOf(table, new Decimal(request[table.entry] as number), new Decimal(request.temperature));
  }

  /** INVALID_INPUT unless exactly one density is given, it is positive, and the group is known. */
  conversion(request: ConversionRequest): DensityConversion {
    const { group } = request;
    if (!COMMODITIES.includes(group)) throw refused('group', `must be one of ${COMMODITIES.join(', ')}.`);
    const measures = ['density15', 'apiGravity', 'relativeDensity'] as const;
    const given = measures.filter((measure) => typeof request[measure] === 'number');
    const [measure] = given;
    if (!measure || given.length > 1) {
      const message = measure
        ? `must be the only one of ${measures.join(', ')}.`
        : `must be given, or another of ${measures.join(', ')}: one of them.`;
      throw invalidInput((measure ? given : measures).map((name) => violation(name, message)));
    }
    const value = request[measure] as number;
    const violations = notPositive(measure, value);
    throwIfInvalid(violations);
    const found = densityConversionOf({ [measure]: new Decimal(value) } as unknown as GivenDensity, group as Commodity);
    if (found) return found;
    throw refused(
      measure,
      `must be the density of a liquid: from ${LIQUIDS.lightest} to ${LIQUIDS.heaviest} kg/m³ at 15 °C.`,
    );
  }
}

const violation = (parameter: string, message: string): Violation => ({ parameter, message });
const refused = (parameter: string, message: string) => invalidInput([violation(parameter, message)]);

/** An API gravity may be negative as long as its density is positive. */
function notPositive(entry: Entry, value: number): Violation[] {
  if (entry !== 'apiGravity') return value > 0 ? [] : [violation(entry, 'must be above 0.')];
  const relative = value === -131.5 ? undefined : relativeDensityOf(new Decimal(value));
  return relative?.gt(0) ? [] : [violation(entry, 'must be above -131.5: there is no such density.')];
}
