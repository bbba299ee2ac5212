import { readFileSync } from 'node:fs';
import { parseDocument, visit } from 'yaml';

/** The settings of a file. */
interface FileSettings {
  /** Values by name, as text; null values are empty, as if not set. */
  readonly texts: ReadonlyMap<string, string>;
  /** The names of settings whose values no environment variable could hold. */
  readonly wrong: readonly string[];
}

/** A number that may as well be a name, such as a project id: kept as written. */
const IN_DIGITS = /^[-+]?\d+(\.\d+)?$/;

/** Reads CONFIG_FILE, YAML or JSON: one mapping of names to values. Throws an error if it is anything else. */
export function readConfigFile(path: string): FileSettings {
  const document = parseDocument(readText(path), { prettyErrors: true });
  const [fault] = document.errors;
  if (fault !== undefined)
    throw new Error(`it is neither YAML nor JSON: ${fault.message.split('\n', 1)[0]?.replace(/:$/, '')}`);
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'number' && IN_DIGITS.test(scalar.source ?? '')) scalar.value = scalar.source;
    },
  });
  const parsed: unknown = document.toJS();
  if (parsed === null) return { texts: new Map(), wrong: [] };
  if (typeof parsed !== 'object' || Array.isArray(parsed)) throw new Error('it must map names to values');
  const values = Object.entries(parsed).map(([name, value]) => [name, textOf(value)] as const);
  return {
    texts: new Map(values.map(([name, text = '']) => [name, text])),
    wrong: values.filter(([, text]) => text === undefined).map(([name]) => name),
  };
}

/** The text of a file, without one trailing line break. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
      .replace(/^\uFEFF/, '')
      .replace(/\r?\n$/, '');
  } catch (error) {
    throw new Error(`it cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}

/** The value as an environment variable would hold it; null counts as not set, and lists are comma-separated. */
function textOf(value: unknown): string | undefined {
  if (value === null) return '';
  if (Array.isArray(value)) return value.every(isPlain) ? value.join(',') : undefined;
  return isPlain(value) ? String(value) : undefined;
}

const isPlain = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);
