/** Imported before a gateway: shifts its clock ahead by CLOCK_AHEAD_MS, or back if negative. */
const aheadMs = Number(process.env.CLOCK_AHEAD_MS);
const Right = Date;

globalThis.Date = class extends Right {
  constructor(...given: [] | [string | number | Date]) {
    super(...((given.length === 0 ? [Right.now() + aheadMs] : given) as [number]));
  }

  static override now(): number {
    return Right.now() + aheadMs;
  }
} as DateConstructor;
