/** The command line: `npm run cli -- <command>`; each command is a file in this folder. */

import { isBuilt, PROGRAM } from '../model/command-line.ts';
import { UsageError } from './arguments/usage-error.ts';
import { type Command, invoke } from './invocation.ts';
import { exitCodeOf } from './output/stdout.ts';

interface Listed {
  readonly summary: string;
  /** Loads the command when it is run. */
  readonly load: () => Promise<Command>;
}

/** Commands for developers of the service: they need its sources. */
const development: Readonly<Record<string, Listed>> = {
  check: {
    summary: 'checks style, types, and whether generated files are up to date; --outdated lists outdated packages',
    load: () => import('./development/check.ts'),
  },
  routes: {
    summary: 'lists the endpoints; --write brings docs/endpoints.md up to date',
    load: () => import('./development/routes.ts'),
  },
  schema: { summary: 'writes schema/schema.graphql', load: () => import('./development/schema.ts') },
  operations: {
    summary: 'writes the types of the dashboard’s operations, web/dashboard/operations.d.ts',
    load: () => import('./development/operations.ts'),
  },
};

const commands: Readonly<Record<string, Listed>> = {
  doctor: {
    summary: 'shows the state of this installation, and what is running; --verify checks the whole database',
    load: () => import('./doctor.ts'),
  },
  config: { summary: 'prints the settings in force, without passwords', load: () => import('./deployment/config.ts') },
  backup: { summary: 'writes the whole database to a file, while the service runs', load: () => import('./backup.ts') },
  restore: { summary: 'restores a backup into an empty database', load: () => import('./restore.ts') },
  keys: { summary: 'creates, lists, rotates and revokes API keys', load: () => import('./keys.ts') },
  users: {
    summary: 'adds, lists, disables and enables users, and changes their passwords',
    load: () => import('./users.ts'),
  },
  audit: { summary: 'exports the audit log as NDJSON', load: () => import('./audit/export.ts') },
  usage: {
    summary: 'shows how much of their quotas tenants use; --rebuild counts again',
    load: () => import('./tenants/usage.ts'),
  },
  follow: {
    summary: 'writes the changes of documents to stdout as NDJSON, and resumes where it stopped',
    load: () => import('./feed/follow.ts'),
  },
  webhooks: {
    summary: 'listens to webhooks of the demo; pings, replays, lists deliveries',
    load: () => import('./webhooks/webhooks.ts'),
  },
  rebuild: {
    summary:
      'rebuild statistics: counts all jobs again; rebuild audits: audits their figures again; while the service runs',
    load: () => import('./rebuild.ts'),
  },
  migrate: {
    summary: 'migrates the database to the stored form of this version, before the service starts',
    load: () => import('./deployment/migrate.ts'),
  },
  shard: {
    summary: 'prints how collections are sharded on a cluster (--plan), or shards them (--apply)',
    load: () => import('./deployment/shard.ts'),
  },
  probe: {
    summary: 'asks the running service for /readyz or, with --live, for /livez',
    load: () => import('./deployment/probe.ts'),
  },
  ...(isBuilt ? {} : development),
};

const HELP = ['help', '--help', '-h'];

/** Whether the arguments of a command ask for its usage; `help` may also be the name of something. */
const isHelp = ([first = '', ...rest]: readonly string[]): boolean =>
  HELP.includes(first) || rest.includes('--help') || rest.includes('-h');

const [name = '', ...args] = process.argv.slice(2);
const listed = Object.hasOwn(commands, name) ? commands[name] : undefined;
const list = [
  `${PROGRAM} <command>`,
  ...Object.entries(commands).map(([each, { summary }]) => `  ${each.padEnd(10)} ${summary}`),
].join('\n');

async function noCommand(): Promise<void> {
  if (!HELP.includes(name)) throw new UsageError(name === '' ? 'Which command?' : `There is no command "${name}".`);
  console.log(list);
}

const code = await exitCodeOf(async () => {
  if (!listed) return invoke({ run: noCommand, USAGE: list }, args);
  const command = await listed.load();
  if (!isHelp(args)) return invoke(command, args);
  return console.log(`${command.USAGE}\n\n${listed.summary}`);
});
process.exit(code); // connections to a MongoDB that does not respond would keep this process alive
