/** Stands for a text in what JSON.stringify writes; no answer ever has it. */
const MARK = `"${crypto.randomUUID()}"`;

/** The texts that the JSON.stringify under way has come across; undefined outside `jsonText`. */
let met: string[] | undefined;

/** The same as JSON.stringify, but copies the text of each RawJson: parsing and writing it again takes many times as long. */
export function jsonText(value: object): string {
  const texts: string[] = [];
  met = texts;
  try {
    const text = JSON.stringify(value);
    if (texts.length === 0) return text;
    const between = text.split(MARK);
    return between.flatMap((part, at) => [part, texts[at] ?? '']).join('');
  } finally {
    met = undefined;
  }
}

/** A JSON value as its text, copied into answers unparsed by `jsonText`; `toJSON` keeps it correct under plain JSON.stringify too. */
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
    if (!met) return JSON.parse(this.text);
    met.push(this.text);
    return MARK.slice(1, -1);
  }
}
