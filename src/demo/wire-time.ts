/** A time as partners write it: seconds, no fraction. */
export const wire = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;
