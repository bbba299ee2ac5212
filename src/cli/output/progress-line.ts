const TERMINAL_MS = 200;
const LINES_MS = 5_000;

/** Reports progress: on a terminal in one line that is updated, otherwise in a line now and then. */
export class ProgressLine {
  readonly #output: NodeJS.WriteStream;
  #said = performance.now();
  #isOpen = false;

  constructor(output: NodeJS.WriteStream) {
    this.#output = output;
  }

  show(text: string): void {
    const { isTTY } = this.#output;
    if (performance.now() - this.#said < (isTTY ? TERMINAL_MS : LINES_MS)) return;
    this.#said = performance.now();
    this.#isOpen = isTTY;
    this.#output.write(isTTY ? `\r\u001b[K${text}` : `${text}\n`);
  }

  /** Ends the line, so that later output starts on a new one. */
  end(): void {
    if (this.#isOpen) this.#output.write('\r\u001b[K');
    this.#isOpen = false;
  }
}
