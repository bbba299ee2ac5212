/** Room for an address that asks for 200 client codes of 100 characters, percent-encoded (interface, "Limits"). */
export const MAX_HEADER_BYTES = 256 * 1024;

/** How many header fields a request may have: as many as Node allows by default. */
export const MAX_HEADER_FIELDS = 1_000;
