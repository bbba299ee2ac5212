/** Characters that a terminal interprets rather than shows: control characters, line breaks, and text-direction marks. */
const OBEYED = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Whether a name can be shown unescaped. */
export const isPrintable = (text: string): boolean => !OBEYED.test(text);

/** The text with such characters escaped as in JSON. */
export const printable = (text: string): string =>
  text.replace(new RegExp(OBEYED, 'gu'), (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The error for a name that cannot be shown. */
export const UNPRINTABLE = 'must have no line breaks or other control characters.';
