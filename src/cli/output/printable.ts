/** What a terminal obeys instead of showing it: control characters, line breaks, and marks that turn the direction of text. */
const OBEYED = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** Whether a name can be shown as it is. */
export const isPrintable = (text: string): boolean => !OBEYED.test(text);

/** The text with what a terminal would obey written as in JSON. */
export const printable = (text: string): string =>
  text.replace(new RegExp(OBEYED, 'gu'), (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** What is said of a name that cannot be shown. */
export const UNPRINTABLE = 'must have no line breaks or other control characters.';
