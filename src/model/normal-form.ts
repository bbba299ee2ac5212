/** The most marks on one letter of a text that is normalized: Unicode's Stream-Safe Text Format has as many (UAX #15). */
const MOST_MARKS = 30;
const TOO_MANY_MARKS = new RegExp(`\\p{M}{${MOST_MARKS + 1}}`, 'u');

/**
 * A text in Unicode's normal form C. One that no language has, with more marks on a letter, stays as it is: putting n marks in
 * order takes n² steps, for which every other request would have to wait.
 */
export const normalForm = (text: string): string =>
  text.length > MOST_MARKS && TOO_MANY_MARKS.test(text) ? text : text.normalize('NFC');
