import { ConfigError, readConfig } from '../../src/config.ts';

/** The problems of settings, one per line. */
export function problemsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n');
  }
}
