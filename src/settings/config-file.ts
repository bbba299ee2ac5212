import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';

/** The settings of a file by their names, as text. */
export type FileSettings = ReadonlyMap<string, string>;

/** Reads CONFIG_FILE, YAML or JSON: one mapping of names to values. Throws an error that says all that is wrong with it. */
export function readConfigFile(path: string): FileSettings {
  const document = parseDocument(readText(path), { prettyErrors: true });
  const [fault] = document.errors;
  if (fault !== undefined)
    throw new Error(`it is neither YAML nor JSON: ${fault.message.split('\n', 1)[0]?.replace(/:$/, '')}`);
  const parsed: unknown = document.toJS();
  if (parsed === null) return new Map();
  if (typeof parsed !== 'object' || Array.isArray(parsed)) throw new Error('it must map names to values');
  const settings = new Map<string, string>();
  const wrong: string[] = [];
  for (const [name, value] of Object.entries(parsed)) {
    const text = textOf(value);
    if (text === undefined) wrong.push(name);
    else settings.set(name, text);
  }
  if (wrong.length > 0) throw new Error(`a value must be text, a number, or a list of those: ${wrong.join(', ')}`);
  return settings;
}

/** The text of a file, which may end in one line break. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
      .replace(/^\uFEFF/, '')
      .replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`it cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}

/** What an environment variable would hold; null is one that is not set, and lists are separated by commas. */
function textOf(value: unknown): string | undefined {
  if (value === null) return '';
  if (Array.isArray(value)) return value.every(isPlain) ? value.join(',') : undefined;
  return isPlain(value) ? String(value) : undefined;
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
