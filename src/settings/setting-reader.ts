import { closest } from 'fastest-levenshtein';
import { readConfigFile, readText } from './config-file.ts';
import { meantName } from './misspelled-names.ts';
import { isMongodbAddress, MONGODB_ADDRESS } from './mongodb-address.ts';

/** The environment variables of a process. */
export type Env = Readonly<Record<string, string | undefined>>;

/** A setting in force. */
export interface Setting {
  readonly name: string;
  /** The given value; undefined if the default applies. */
  readonly given: string | undefined;
  /** The default, if no value was given; undefined if there is none. */
  readonly standard: string | undefined;
  /** Where the value comes from: "default", "environment", or a file. */
  readonly origin: string;
}

/** Settings that may hold a password. */
export const SECRET: ReadonlySet<string> = new Set(['MONGODB_URI', 'OTEL_EXPORTER_OTLP_HEADERS', 'WEBHOOK_SECRET_KEY']);

const SAME_WORD: ReadonlyMap<string, string> = new Map([
  ['true', 'on'],
  ['false', 'off'],
]);

const NOT_GIVEN = { given: undefined, origin: 'default' } as const;

/**
 * Reads settings by name from the environment, falling back to CONFIG_FILE; in both, NAME_FILE names a file that holds
 * the value. Invalid values are collected in `problems`.
 */
export class SettingReader {
  readonly problems: string[] = [];
  readonly #env: Env;
  readonly #settings = new Map<string, Setting>();
  readonly #path: string;
  readonly #file: ReadonlyMap<string, string>;

  constructor(env: Env) {
    this.#env = env;
    this.#path = env.CONFIG_FILE?.trim() ?? '';
    this.#file = this.#path === '' ? new Map<string, string>() : this.#readFile();
  }

  /** The settings read so far. */
  get settings(): readonly Setting[] {
    return [...this.#settings.values()];
  }

  /** The given text; undefined if empty. */
  given(name: string): string | undefined {
    const known = this.#settings.get(name);
    if (known !== undefined) return known.given;
    const found =
      this.#in(name, { origin: 'environment', of: (key) => this.#env[key] }) ??
      this.#in(name, { origin: this.#path, of: (key) => this.#file.get(key) }) ??
      NOT_GIVEN;
    this.#settings.set(name, { name, ...found, standard: undefined });
    return found.given;
  }

  /** The given text, or the default. */
  text(name: string, standard: string): string {
    return this.given(name) ?? this.standard(name, standard);
  }

  /** Records the default of a setting. */
  standard(name: string, standard: string): string {
    this.given(name);
    const setting = this.#settings.get(name);
    if (setting !== undefined) this.#settings.set(name, { ...setting, standard });
    return standard;
  }

  whole(name: string, standard: number, ...[min, max]: readonly [min: number, max: number]): number {
    const text = this.text(name, String(standard));
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    return this.refuse(name, `a whole number from ${min} to ${max}`, standard);
  }

  /** One of these words; `true` and `false` are accepted for `on` and `off`, since YAML 1.1 reads them as booleans. */
  choice<T extends string>(name: string, choices: readonly T[], standard: T): T {
    const text = this.text(name, standard);
    const word = SAME_WORD.get(text) ?? text;
    return choices.find((one) => one === word) ?? this.refuse(name, `one of ${choices.join(', ')}`, standard);
  }

  /** An address with one of these protocols, as given. */
  address(name: string, protocols: readonly string[]): string | undefined {
    const text = this.given(name);
    if (text === undefined) return undefined;
    const fits = protocols.some((protocol) => text.startsWith(`${protocol}://`)) && URL.canParse(text);
    if (fits) return text;
    return this.refuse(
      name,
      `an address that starts with ${protocols.map((each) => `${each}://`).join(' or ')}`,
      undefined,
    );
  }

  /** A MongoDB address, without trailing slashes. */
  mongodbAddress(name: string): string | undefined {
    const address = this.given(name)?.replace(/\/+$/, '');
    return address === undefined || isMongodbAddress(address) ? address : this.refuse(name, MONGODB_ADDRESS, undefined);
  }

  /** Records that a value is invalid, and what is allowed. */
  refuse<T>(name: string, allowed: string, fallback: T): T {
    const text = this.given(name);
    if (text === undefined) {
      this.problems.push(`${name} is not set: it must be ${allowed}.`);
      return fallback;
    }
    const origin = this.#settings.get(name)?.origin;
    const place = origin === undefined || origin === 'environment' || origin === 'default' ? '' : ` (in ${origin})`;
    this.problems.push(`${name}=${shown(text, SECRET.has(name))}${place} cannot be used: it must be ${allowed}.`);
    return fallback;
  }

  /** Call after reading all settings: reports any in CONFIG_FILE that were never read, and misspelled ones in the environment. */
  refuseUnknown(): void {
    const known = [...this.#settings.keys()];
    this.#refuseMisspelled(known);
    for (const key of this.#file.keys()) {
      if (known.includes(key.replace(/_FILE$/, '')) || known.includes(key)) continue;
      const like = key
        .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
        .replaceAll('-', '_')
        .toUpperCase();
      this.problems.push(
        `${JSON.stringify(key)} in CONFIG_FILE=${this.#path} is not a setting; the nearest one is ${closest(like, known)}.`,
      );
    }
  }

  /** The environment has names of other programs as well: one is misspelled if the setting that it resembles is not set. */
  #refuseMisspelled(known: readonly string[]): void {
    const names = ['CONFIG_FILE', ...known.flatMap((name) => [name, `${name}_FILE`])];
    for (const [key, value] of Object.entries(this.#env)) {
      if (!value?.trim() || names.includes(key)) continue;
      const meant = meantName(key, names);
      if (meant === undefined || this.#env[meant]?.trim()) continue;
      if (this.#settings.get(meant.replace(/_FILE$/, ''))?.given !== undefined) continue;
      this.problems.push(`${key} is not a setting, and ${meant} is not set: correct the name, or remove the variable.`);
    }
  }

  #readFile(): ReadonlyMap<string, string> {
    const refuse = (why: string): void => {
      this.problems.push(`CONFIG_FILE=${JSON.stringify(this.#path)} cannot be used: ${why}.`);
    };
    try {
      const { texts, wrong } = readConfigFile(this.#path);
      if (wrong.length > 0) refuse(`a value must be text, a number, or a list of those: ${wrong.join(', ')}`);
      return texts;
    } catch (error) {
      refuse((error as Error).message);
      return new Map();
    }
  }

  #in(
    name: string,
    { origin, of }: { readonly origin: string; readonly of: (key: string) => string | undefined },
  ): { readonly given: string; readonly origin: string } | undefined {
    const text = of(name)?.trim();
    const key = `${name}_FILE`;
    const path = of(key)?.trim();
    if (!path) return text ? { given: text, origin } : undefined;
    if (text) this.problems.push(`${name} and ${key} are both set (${origin}); set one of them.`);
    try {
      const held = readText(path).trim();
      if (held !== '') return { given: held, origin: path };
      throw new Error('it is empty');
    } catch (error) {
      const isValue = SECRET.has(name) && path.includes('://'); // meant for the variable without _FILE
      this.problems.push(`${key}=${shown(path, isValue)} cannot be used: ${(error as Error).message}.`);
      return undefined;
    }
  }
}

/** The user and password of an address, up to the last `@`: the password may contain characters that should be encoded. */
const CREDENTIALS = /\/\/.*@/s;

const shown = (text: string | undefined, isSecret: boolean): string =>
  isSecret ? '(its value is not shown)' : JSON.stringify(text?.replace(CREDENTIALS, '//***@'));
