import { ConnectionString } from 'mongodb-connection-string-url';
import { readSettings } from '../../config.ts';
import { PROGRAM } from '../../model/command-line.ts';
import { isMongodbAddress } from '../../settings/mongodb-address.ts';
import { SECRET, type Setting } from '../../settings/setting-reader.ts';
import { refuseAllBut } from '../arguments/words.ts';

export const USAGE = `${PROGRAM} config [--json]`;

/** Prints the effective settings and their sources, without passwords. */
export async function run(args: readonly string[]): Promise<void> {
  refuseAllBut(['--json'], args);
  const rows = readSettings(process.env).settings.map(rowOf);
  if (args.includes('--json')) console.log(JSON.stringify(rows));
  else for (const { name, value, origin } of rows) console.log(`${name.padEnd(26)} ${value ?? '(none)'}  [${origin}]`);
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
