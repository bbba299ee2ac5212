import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Where a password is typed, or comes from. */
export interface Keyboard {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/** At a terminal, what is typed in answer to the question, unseen; else the first line of what comes in. */
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
