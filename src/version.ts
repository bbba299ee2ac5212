import packageJson from '../package.json' with { type: 'json' };

/** The version of the service, from package.json. */
export const VERSION: string = packageJson.version;
