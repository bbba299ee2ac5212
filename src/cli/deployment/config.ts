import { ConnectionString } from 'mongodb-connection-string-url';
import { ConfigError, readSettings } from '../../config.ts';
import { PROGRAM } from '../../model/command-line.ts';
import { isMongodbAddress } from '../../settings/mongodb-address.ts';
import { SECRET, type Setting } from '../../settings/setting-reader.ts';
import { hasOnly } from '../flags.ts';

export const USAGE = `${PROGRAM} config [--json]`;

/** Prints the effective settings and their sources, without passwords; 1 if they are invalid. */
export async function run(args: readonly string[]): Promise<number> {
  if (!hasOnly(['--json'], args, USAGE)) return 1;
  const isJson = args.includes('--json');
  try {
    const rows = readSettings(process.env).settings.map(rowOf);
    if (isJson) console.log(JSON.stringify(rows));
    else
      for (const { name, value, origin } of rows) console.log(`${name.padEnd(26)} ${value ?? '(none)'}  [${origin}]`);
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    return 1;
  }
}

const rowOf = ({ name, given, standard, origin }: Setting) => {
  const text = given ?? standard;
  return { name, value: text === undefined ? null : withoutSecrets(name, text), origin };
};

const STRUCK = '***';

/** A value with its credentials removed. */
export function withoutSecrets(name: string, text: string): string {
  if (SECRET.has(name)) return withoutCredentials(text);
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.username === '' && url.password === '') return text;
  url.username = STRUCK;
  url.password = '';
  return url.href;
}

/** A database URI without credentials; one that cannot be parsed is not shown at all. */
function withoutCredentials(uri: string): string {
  try {
    const parsed = new ConnectionString(uri);
    return isMongodbAddress(uri) ? parsed.redact({ replacementString: STRUCK }).toString() : STRUCK;
  } catch {
    return STRUCK;
  }
}
