import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** The terminal or pipe that a password is read from. */
export interface Keyboard {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/** Prompts for a password at a terminal without echo; otherwise reads the first line of the input. */
export async function askPassword(question: string, { input, output }: Keyboard): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output: unseen, terminal: input.isTTY === true });
  try {
    if (!input.isTTY) return await firstLine(lines);
    output.write(question);
    const typed = await lines.question('');
    output.write('\n');
    return typed;
  } finally {
    lines.close();
  }
}

async function firstLine(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) return line;
  return '';
}
