import { ConfigError, readConfig } from '../../src/config.ts';

/** What is wrong with settings, a line each. */
export function problemsOf(env: Readonly<Record<string, string | undefined>>): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n');
  }
}
