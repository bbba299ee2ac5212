import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'vitest';

/** A block of shell commands on a page. */
interface Step {
  readonly commands: string;
  /** The lines shown below the commands; … matches any text. */
  readonly shown: readonly string[];
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;
const MARK = '=== next step ===';

/** Sends a request again, as the answer asks, when a busy machine's database did not answer in time. */
const PATIENT = `curl() {
  local answer tries
  for tries in 1 2 3 4 5; do
    answer=$(command curl "$@"; printf x)
    case $answer in *'"code":"UNAVAILABLE"'* | 'HTTP/1.1 503'*) sleep 1 ;; *) break ;; esac
  done
  printf %s "\${answer%x}"
}
`;

/** The non-blank lines of a text. */
export const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** The shell blocks of a page, each with the JSON block directly below it. */
export const stepsOf = (page: string): Step[] =>
  [...page.matchAll(/^```sh\n([\s\S]*?)^```\n(?:```json\n([\s\S]*?)^```\n)?/gm)].map(
    ([, commands = '', shown = '']) => ({ commands, shown: linesOf(shown) }),
  );

/** Runs the steps as one shell session against `url`, and checks the output against the page, ids and … aside. */
export async function expectWalkthrough(steps: readonly Step[], { address, url }: { address: string; url: string }) {
  const script = steps.map(({ commands }) => `${commands}echo '${MARK}'\n`).join('');
  const here = script.replace(`api=${address}`, `api=${url}`);
  expect(here).not.toContain(address);
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', PATIENT + here]);
  const printed = stdout.split(`${MARK}\n`).map(linesOf);
  expect(stderr).toBe('');
  const ids = new Map<string, string>();
  for (const [index, { commands, shown }] of steps.entries()) {
    const lines = printed[index] ?? [];
    expect(lines.length, commands).toBe(shown.length);
    for (const [at, line] of shown.entries()) expectAlike(lines[at] ?? '', line, ids);
  }
}

/** Whether a printed line matches the shown one; an id on the page stands for the same id throughout. */
function expectAlike(printed: string, shown: string, ids: Map<string, string>): void {
  const parts = shown.split(new RegExp(`(…|${UUID.source})`));
  const pattern = parts.map((part) => {
    if (part === '…') return '.*?';
    return UUID.test(part) ? `(${UUID.source})` : part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  });
  expect(printed).toMatch(new RegExp(`^${pattern.join('')}$`));
  const found = new RegExp(`^${pattern.join('')}$`).exec(printed) ?? [];
  for (const [index, id] of parts.filter((part) => UUID.test(part)).entries()) {
    const actual = found[index + 1] ?? '';
    expect(actual, id).toBe(ids.get(id) ?? actual);
    ids.set(id, actual);
  }
}
