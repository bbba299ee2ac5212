/** The SHA-256 of a file, in hexadecimal digits. */
export function sha256Of(file: string): Promise<string>;

/** Throws unless a file that was fetched is the one that is meant; `origin` says where its SHA-256 is from. */
export function checkFile(
  file: string,
  expected: { readonly name: string; readonly sha256: string; readonly origin?: string },
): Promise<void>;
