import packageJson from '../package.json' with { type: 'json' };

/** The version of the service, as package.json names it. */
export const VERSION: string = packageJson.version;
