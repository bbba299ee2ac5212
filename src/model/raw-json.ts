/** A JSON value as its text, copied into answers unparsed; `toJSON` keeps it correct under plain JSON.stringify too. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
