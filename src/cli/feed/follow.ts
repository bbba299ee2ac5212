import { fdatasyncSync } from 'node:fs';
import { QUIET_PROGRAM } from '../../model/command-line.ts';
import { isUuid } from '../../model/uuid.ts';
import { codeOfSignal, STOP_SIGNALS } from '../../process/stop-signals.ts';
import { refuseAny } from '../arguments/usage-error.ts';
import { parsedWords, surplus } from '../arguments/words.ts';
import { UNREAD, UnwrittenOutput, write } from '../output/stdout.ts';
import { RefusedRequest, SERVICE_USAGE, type ServiceClient, serviceOf } from '../service-client.ts';
import { follow } from './follower.ts';
import { PlaceFile } from './place-file.ts';

export const USAGE = `${QUIET_PROGRAM} follow [--place FILE] [--after ID] [--workspace ID] [--types TYPE,…] [--once] [--url URL]
Writes the changes visible to the key to stdout, one JSON object per line: first those still kept, oldest first, then new ones as they happen.
--place FILE   resumes after the change whose id is in FILE, and saves the id of the last one there
--after ID     starts after that change, if FILE has no id yet
--once         exits after the changes up to now
Exit codes: 0 after --once, 1 for an error, 2 for an invalid command line, 3 if changes after the place are no longer kept (HISTORY_LOST), 128 + n after signal n.
${SERVICE_USAGE}`;

const DEMO_KEY = 'demo-client-key';
const HISTORY_LOST = 3;

/** The parsed command line. */
interface FollowCommand {
  readonly service: ServiceClient;
  readonly path: string;
  readonly types: string | undefined;
  readonly once: boolean;
  readonly file: PlaceFile | undefined;
  readonly after: string | undefined;
}

/** Writes the change feed to stdout as NDJSON; returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  try {
    return await followed(understood(args));
  } catch (error) {
    if (!(error instanceof RefusedRequest && error.code === 'HISTORY_LOST')) throw error;
    console.error(error.message);
    return HISTORY_LOST;
  }
}

function understood(args: readonly string[]): FollowCommand {
  const { once = false, ...values } = parsed(args);
  const faults: string[] = [];
  const { after, workspace, types, place } = values;
  if (after !== undefined && !/^\d+$/.test(after))
    faults.push('--after must be the id of a change, which is a number.');
  if (workspace !== undefined && !isUuid(workspace)) faults.push('--workspace must be the id of a workspace.');
  refuseAny(faults);
  const service = serviceOf(values, DEMO_KEY);
  const file = place === undefined ? undefined : new PlaceFile(place);
  const path = workspace === undefined ? '/v2/changes' : `/v2/workspaces/${workspace}/changes`;
  return { service, path, types, once, file, after: file?.place ?? after };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const options = {
    place: text,
    after: text,
    workspace: text,
    types: text,
    url: text,
    once: { type: 'boolean' },
  } as const;
  const { values, positionals } = parsedWords({ args: [...args], allowPositionals: true, options });
  refuseAny(surplus({}, positionals, []));
  return values;
}

async function followed({ file, after, ...command }: FollowCommand): Promise<number> {
  const stopped = new AbortController();
  let code = 0;
  for (const signal of STOP_SIGNALS) {
    process.once(signal, () => {
      code = codeOfSignal(signal);
      stopped.abort();
    });
  }
  const keep = (place: string): void => {
    flush();
    file?.keep(place);
  };
  const say = (text: string): void => console.error(text);
  const end = await follow({ ...command, write: isWritten, keep, say, stopped: stopped.signal }, after);
  return end === 'unread' ? UNREAD : code;
}

/** Writes a line; false if the reader has left. */
async function isWritten(line: string): Promise<boolean> {
  try {
    await write(line);
    return true;
  } catch (error) {
    if (error instanceof UnwrittenOutput && error.isUnread) return false;
    throw error;
  }
}

/** If stdout is a file, syncs it to disk before its place is stored. */
function flush(): void {
  try {
    fdatasyncSync(process.stdout.fd);
  } catch {
    // a pipe or a terminal
  }
}
