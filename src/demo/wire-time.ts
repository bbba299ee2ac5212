/** A time as partners write it: in whole seconds. */
export const wire = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;
