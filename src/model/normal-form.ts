/** The maximum number of combining marks on one letter for a text to be normalized, as in Unicode's Stream-Safe Text Format (UAX #15). */
const MOST_MARKS = 30;
const TOO_MANY_MARKS = new RegExp(`\\p{M}{${MOST_MARKS + 1}}`, 'u');

/**
 * A text in Unicode's normal form C. A text with more marks on a letter, which no language has, is returned unchanged: sorting
 * n marks takes n² steps, and would block the event loop.
 */
export const normalForm = (text: string): string =>
  text.length > MOST_MARKS && TOO_MANY_MARKS.test(text) ? text : text.normalize('NFC');
