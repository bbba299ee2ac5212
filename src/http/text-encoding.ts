/** How a text of that many bytes in UTF-8 is written: ASCII as it is, which is quicker than encoding it. */
export const encodingOf = (text: string, bytes: number): 'latin1' | 'utf8' =>
  text.length === bytes ? 'latin1' : 'utf8';
