/** A type of grade: its code as the interface lists it, its category and its description (interface, "Grade"). */
export interface GradeKind {
  readonly code: string;
  readonly category: string;
  readonly description: string;
}

/** The categories and their types, in the order and spelling of the interface, including spaces in codes. */
const TABLE: Readonly<Record<string, readonly (readonly [code: string, description: string])[]>> = {
  Biofuel: [
    ['NDP_BIODIESEL', 'Biodiesel'],
    ['NDP_ETHANOL', 'Ethanol'],
  ],
  Chemical: [
    ['NDP_HYDROGEN', 'Hydrogen'],
    ['NDP_SULFUR', 'Sulfur'],
  ],
  Crudes: [
    ['NDP_CONDENSATE', 'Condensate'],
    ['NDP_CRUDE', 'Crude'],
    ['NDP_SYNTHETIC_CRUDE', 'Synthetic Crude'],
  ],
  Cutter: [['NDP_CYCLE_OIL', 'Cycle Oil']],
  Feedstock: [
    ['NDP_ATMOSPHERIC_RESIDUE', 'Atmospheric Residue'],
    ['NDP_CARBON_BLACK_OIL', 'Carbon Black Oil'],
    ['NDP_COKER_GASOIL', 'Coker Gasoil'],
    ['NDP_DECANT_OIL', 'Decant Oil'],
    ['NDP_HYDROCRAKATE_RECYCLE_OIL', 'Hydrocrakate Recycle Oil'],
    ['NDP_STRAIGHT_RUN_FUEL_OIL', 'Straight Run Fuel Oil'],
    ['NDP_TRANSMIX', 'Transmix'],
    ['NDP_VACUUM_GASOIL', 'Vacuum Gasoil'],
    ['NDP_VACUUM_RESIDUE', 'Vacuum Residue'],
  ],
  Gasoline: [
    ['NDP_AVIATION_GASOLINE', 'Aviation Gasoline'],
    ['NDP_MOTOR_GASOLINE', 'Motor Gasoline'],
  ],
  'Gasoline Components': [
    ['NDP_ALKYLATE', 'Alkylate'],
    ['NDP_COKER_GASOLINE_COKER_NAPHTHA', 'Coker Gasoline'],
    ['NDP_DIMERATE_ISOOCTANE', 'Dimerate'],
    ['NDP_FLUID_CATALYTIC_CRACKER _GASOLINE_FCC_NAPHTHA', 'Fluid Catalytic Cracker Gasoline'],
    ['NDP_HYDROCRAKATE', 'Hydrocrakate'],
    ['NDP_ISOMERATE', 'Isomerate'],
    ['NDP_POLYMERATE', 'Polymerate'],
    ['NDP_PYROLYSIS_GASOLINE', 'Pyrolysis Gasoline'],
    ['NDP_RAFFINATE', 'Raffinate'],
    ['NDP_REFORMATE', 'Reformate'],
    ['NDP_VISBREAKER_GASOLINE _VISBREAKER_NAPHTHA', 'Visbreaker Gasoline'],
  ],
  'Heavy Fuel Oils': [['NDP_RESIDUAL_FUEL_OIL', 'Residual Fuel Oil']],
  Kerosenes: [
    ['NDP_JET', 'Jet'],
    ['NDP_KEROSENE', 'Kerosene'],
    ['NDP_KEROSENE_BLENDSTOCK', 'Kerosene Blendstock'],
  ],
  Lead: [['NDP_TETRA_ETHYL_LEAD_TEL', 'Tetra Ethyl Lead']],
  'Light Fuel Oils & Gas Oils': [
    ['NDP_DIESEL_FUELS', 'Diesel Fuels'],
    ['NDP_DISTILLATE_BLENDSTOCK', 'Distillate Blendstock'],
    ['NDP_LIGHT_FUEL_OIL', 'Light Fuel Oil'],
  ],
  Naphthas: [
    ['NDP_HEAVY_NAPHTHA_NAPHTHENES _AND_AROMATICS_NAPHTHA', 'Heavy Naphtha'],
    ['NDP_LIGHT_NAPHTHA', 'Light Naphtha'],
  ],
  'Natural Gas': [
    ['NDP_LIQUEFIED_NATURAL_GAS', 'Liquefied Natural Gas'],
    ['NDP_METHANE', 'Methane'],
  ],
  Oxygenates: [
    ['NDP_ETHYL_TERTIARY_BUTYL_ETHER_ETBE', 'ETBE'],
    ['NDP_METHANOL', 'Methanol'],
    ['NDP_METHYL_TERTIARY_BUTYL_ETHER_MTBE', 'MTBE'],
    ['NDP_TERTIARY_AMYL_METHYL_ETHER_TAME', 'TAME'],
  ],
  Petrochemicals: [
    ['NDP_AROMATICS', 'Aromatics'],
    ['NDP_BENZENE', 'Benzene'],
    ['NDP_BUTADIENE', 'Butadiene'],
    ['NDP_BUTYLENE', 'Butylene'],
    ['NDP_ETHYLENE', 'Ethylene'],
    ['NDP_ISOBUTYLENE', 'Isobutylene'],
    ['NDP_PROPYLENE', 'Propylene'],
    ['NDP_TOULENE', 'Toulene'],
    ['NDP_XYLENE', 'Xylene'],
  ],
  'Petroleum Gas Liquids': [
    ['NDP_BUTANE', 'Butane'],
    ['NDP_ETHANE', 'Ethane'],
    ['NDP_PROPANE', 'Propane'],
  ],
  'Specialty Products': [
    ['NDP_ASPHALT/BITUMEN', 'Asphalt/Bitumen'],
    ['NDP_BASE_OILS_&_FINISHED_LUBRICANTS', 'Base Oils & Finished Lubricants'],
    ['NDP_CARBON_BLACK', 'Carbon Black'],
    ['NDP_PETROLEUM_COKE', 'Petroleum Coke'],
    ['NDP_WAXES', 'Waxes'],
  ],
};

/** The 63 types of grade. */
export const GRADE_KINDS: readonly GradeKind[] = Object.entries(TABLE).flatMap(([category, rows]) =>
  rows.map(([code, description]) => ({ code, category, description })),
);

const withoutSpace = new Map(
  GRADE_KINDS.filter(({ code }) => code.includes(' ')).map(({ code }) => [code.replaceAll(' ', ''), code]),
);

/** The listed code for one that may have been written without its space (contract §8). */
export const listedGradeCode = (code: string): string => withoutSpace.get(code) ?? code;
