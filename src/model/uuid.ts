const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Tells whether the text is a UUID of any version, letter case ignored. */
export const isUuid = (text: string): boolean => UUID.test(text);
