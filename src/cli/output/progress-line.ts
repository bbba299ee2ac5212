const TERMINAL_MS = 200;
const LINES_MS = 5_000;

/** Says how far work has come: on a terminal in one line that changes, else in a line now and then. */
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

  /** Leaves the line, so that what comes next has its own. */
  end(): void {
    if (this.#isOpen) this.#output.write('\r\u001b[K');
    this.#isOpen = false;
  }
}
