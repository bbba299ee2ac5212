/** A JSON value as its text, copied into answers unparsed; `toJSON` keeps it correct under plain JSON.stringify too. */
export class RawJson {
  #text: string | (() => string);

  /** Given a function, the text is made when it is first asked for. */
  constructor(text: string | (() => string)) {
    this.#text = text;
  }

  get text(): string {
    if (typeof this.#text !== 'string') this.#text = this.#text();
    return this.#text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
