/** The encoding to write a text of that many UTF-8 bytes with: latin1 for ASCII, which is faster. */
export const encodingOf = (text: string, bytes: number): 'latin1' | 'utf8' =>
  text.length === bytes ? 'latin1' : 'utf8';
