import type { TableName } from '../../src/domain/analysis/volume-correction/tables.ts';

type Row = readonly [number, number, number];

/**
 * Entries of the printed tables 1, 2 and 3 of ASTM D1250-80 (volume XI/XII), as digitized in the public repository
 * Zubastic120993/fuel_mcp (commit a642d066, fuel_mcp/tables/official): evenly spaced, including the first and the last.
 * All 1,695 entries of the three tables were compared once; docs/calculations.md states the result.
 */

/** Table 1: API gravity at 60 °F, relative density 60/60 °F, density at 15 °C in kg/m³. */
export const TABLE_1: readonly Row[] = [
  [0.0, 1.076, 1075.3],
  [3.0, 1.052, 1051.4],
  [6.1, 1.0283, 1027.7],
  [9.1, 1.0064, 1005.8],
  [12.1, 0.9854, 984.8],
  [15.2, 0.9646, 964.0],
  [18.2, 0.9452, 944.7],
  [21.2, 0.9267, 926.1],
  [24.3, 0.9082, 907.7],
  [27.3, 0.8911, 890.6],
  [30.4, 0.874, 873.5],
  [33.4, 0.8581, 857.6],
  [36.4, 0.8428, 842.3],
  [39.5, 0.8275, 827.1],
  [42.5, 0.8132, 812.8],
  [45.5, 0.7994, 799.1],
  [48.6, 0.7857, 785.3],
  [51.6, 0.7728, 772.5],
  [54.6, 0.7603, 760.1],
  [57.7, 0.7479, 747.6],
  [60.7, 0.7362, 736.0],
  [63.8, 0.7245, 724.3],
  [66.8, 0.7136, 713.4],
  [69.8, 0.7029, 702.8],
  [72.9, 0.6923, 692.1],
  [75.9, 0.6823, 682.1],
  [78.9, 0.6725, 672.4],
  [82.0, 0.6628, 662.6],
  [85.0, 0.6536, 653.5],
];

/** Table 2: relative density 60/60 °F, API gravity at 60 °F, density at 15 °C in kg/m³. */
export const TABLE_2: readonly Row[] = [
  [0.654, 84.86, 653.9],
  [0.669, 80.01, 668.9],
  [0.684, 75.37, 683.8],
  [0.699, 70.93, 698.8],
  [0.714, 66.68, 713.8],
  [0.729, 62.6, 728.8],
  [0.744, 58.69, 743.8],
  [0.759, 54.93, 758.7],
  [0.774, 51.32, 773.7],
  [0.789, 47.84, 788.6],
  [0.804, 44.5, 803.6],
  [0.819, 41.27, 818.6],
  [0.834, 38.16, 833.6],
  [0.849, 35.17, 848.6],
  [0.864, 32.27, 863.5],
  [0.88, 29.3, 879.5],
  [0.895, 26.6, 894.5],
  [0.91, 23.99, 909.5],
  [0.925, 21.47, 924.5],
  [0.94, 19.03, 939.5],
  [0.955, 16.67, 954.4],
  [0.97, 14.38, 969.4],
  [0.985, 12.15, 984.4],
  [1.0, 10.0, 999.4],
  [1.015, 7.91, 1014.4],
  [1.03, 5.88, 1029.4],
  [1.045, 3.91, 1044.3],
  [1.06, 1.99, 1059.3],
  [1.075, 0.13, 1074.3],
];

/** Table 3: density at 15 °C in kg/m³, relative density 60/60 °F, API gravity at 60 °F. */
export const TABLE_3: readonly Row[] = [
  [654, 0.6541, 84.83],
  [669, 0.6691, 79.97],
  [684, 0.6842, 75.33],
  [699, 0.6992, 70.88],
  [714, 0.7142, 66.63],
  [729, 0.7292, 62.54],
  [744, 0.7442, 58.63],
  [759, 0.7593, 54.87],
  [774, 0.7743, 51.25],
  [789, 0.7894, 47.76],
  [804, 0.8044, 44.41],
  [819, 0.8194, 41.19],
  [834, 0.8344, 38.08],
  [849, 0.8494, 35.08],
  [864, 0.8645, 32.19],
  [880, 0.8805, 29.21],
  [895, 0.8955, 26.51],
  [910, 0.9105, 23.91],
  [925, 0.9255, 21.39],
  [940, 0.9405, 18.94],
  [955, 0.9556, 16.58],
  [970, 0.9706, 14.29],
  [985, 0.9856, 12.07],
  [1000, 1.0006, 9.91],
  [1015, 1.0156, 7.82],
  [1030, 1.0306, 5.79],
  [1045, 1.0457, 3.82],
  [1060, 1.0607, 1.91],
  [1075, 1.0757, 0.04],
];

/**
 * Table 54B as surveyors read it from the book: density at 15 °C in kg/m³, temperature in °C, factor. From worked
 * examples: "Method of Calculating Oil Weight" (scribd.com/doc/56046151, which names the page of the table), "bunk cal"
 * (scribd.com/document/370250180), a bunker checklist (meosuccess.org, 14 June 2013), the gasoline and the gas oil of
 * an ullage report (geocaching.com/geocache/GC1RNPT), a tank to be topped off ("Cargo Calculations - Explanation",
 * scribd document 741025355), and the fuel oil tanks of a bunker survey, M.V. Cape Sunrise, Tubarao, January 2013
 * (scribd.com/document/369268385).
 */
export const TABLE_54B: readonly Row[] = [
  [884, 26, 0.9913],
  [992, 36, 0.9857],
  [990.3, 34, 0.987],
  [721.4, 22, 0.9911],
  [842.8, 22.5, 0.9937],
  [745.5, 30.5, 0.9811],
  [974.5, 31, 0.9888],
  [988.2, 31, 0.989],
  [988.2, 32, 0.9883],
  [988.2, 33, 0.9877],
  [988.2, 33.5, 0.9873],
  [988.2, 69.3, 0.9625],
  [989.8, 54.5, 0.9729],
];

/** Table 6B as a US Army course reads it from the book (QM5097, armyquartermaster.tpub.com): °API, °F, factor. */
export const TABLE_6B: readonly Row[] = [[56.5, 67.5, 0.995]];

/**
 * The worked examples 1 to 6 that the 2004 edition prints in 11.1.6.1, as transcribed in the tests of the public
 * repository m2b/API11_1VCF (commit 6f8e434c): the 1980 table for the group, its entry, the temperature in °F, and CTL.
 * The edition corrects temperatures for the 1990 scale, a difference of a few millionths. Examples 1 and 2 are outside
 * the printed tables of 1980.
 */
export const EXAMPLES_OF_2004: readonly (readonly [table: TableName, ...Row])[] = [
  ['6A', 17.785, -27.7, 1.033011591958],
  ['6A', -10, 301.93, 0.938051116886],
  ['6B', 19.4, 48.04, 1.00485806899],
  ['24B', 0.7943, 85, 0.986832406683],
  ['6B', 48.0015, 55.9, 1.002182725702],
  ['24B', 0.65794742, 27.3, 1.026475833518],
];

/**
 * Second best: what another program computes for table 54B, taken from its own test (public code,
 * fuel_consumption_calculator).
 */
export const COMPUTED_54B: readonly Row[] = [
  [978, 35, 0.986091857495],
  [978, 5, 1.006911527555],
  [850, 35, 0.983304449272],
  [1010, 5, 1.006633277288],
];
