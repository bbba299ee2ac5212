/** MongoDB accepts patterns of up to 32 KiB, in which a character may take three bytes. */
const MAX_SOUGHT = 8_000;

/** The error for a search text that is too long, checked before anything else is done with it. */
export const lengthFault = (text: string | null | undefined): string | undefined =>
  (text?.length ?? 0) > MAX_SOUGHT ? `may have at most ${MAX_SOUGHT} characters.` : undefined;

/** The violations of several such texts, by parameter. */
export function lengthViolations(texts: Readonly<Record<string, string | null | undefined>>) {
  return Object.entries(texts).flatMap(([parameter, text]) => {
    const message = lengthFault(text);
    return message === undefined ? [] : [{ parameter, message }];
  });
}
