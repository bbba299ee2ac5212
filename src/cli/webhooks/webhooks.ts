import { PROGRAM } from '../../model/command-line.ts';
import { isUuid } from '../../model/uuid.ts';
import { refuseAny, UsageError, unknownVerb } from '../arguments/usage-error.ts';
import { readWords, surplus, type Values } from '../arguments/words.ts';
import { printable } from '../output/printable.ts';
import { SERVICE_USAGE, type ServiceClient, serviceOf } from '../service-client.ts';
import { listen } from './listen.ts';

export const USAGE = `${PROGRAM} webhooks listen [--forward URL] [--events TYPE,…] [--workspace ID] [--signature v1|v1a] [--url URL]
${PROGRAM} webhooks list
${PROGRAM} webhooks ping ID
${PROGRAM} webhooks replay ID (--after EVENT_ID | --since WHEN)
${PROGRAM} webhooks deliveries ID [--status pending|delivered|failed] [--limit N]
listen creates a webhook that delivers to this command, prints each message and whether its signature is valid, and deletes the webhook
on exit (Ctrl-C). --forward passes the messages on to URL, and returns its responses.
${SERVICE_USAGE}`;

const DEMO_KEY = 'demo-admin-key';

/** The work of a verb; resolves to the exit code. */
type Verb = (service: ServiceClient, values: Values, rest: readonly string[]) => Promise<number>;

const VERBS: Readonly<Record<string, { readonly run: Verb; readonly options: readonly string[] }>> = {
  listen: { run: startListening, options: ['forward', 'events', 'workspace', 'signature'] },
  list: { run: list, options: [] },
  ping: { run: ping, options: [] },
  replay: { run: replay, options: ['after', 'since'] },
  deliveries: { run: deliveries, options: ['status', 'limit'] },
};

/** Listens to webhooks, and runs what a developer tries with them: ping, replay, list. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readWords(args, OPTIONS);
  const [name = '', ...rest] = positionals;
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (!verb) throw unknownVerb('webhooks', name);
  const takesId = name !== 'listen' && name !== 'list';
  const faults = surplus(values, rest.slice(takesId ? 1 : 0), [...verb.options, 'url']);
  if (takesId && !isUuid(rest[0] ?? '')) faults.push(`${name} needs the id of a webhook, which is a UUID.`);
  refuseAny(faults);
  return verb.run(serviceOf(values, DEMO_KEY), values, rest);
}

const OPTIONS = ['forward', 'events', 'workspace', 'signature', 'after', 'since', 'status', 'limit', 'url'];

function startListening(service: ServiceClient, { forward, events, workspace, signature }: Values): Promise<number> {
  if (forward !== undefined && !(URL.canParse(forward) && /^https?:$/.test(new URL(forward).protocol))) {
    throw new UsageError(`--forward must be an address that begins with http:// or https://, and not "${forward}".`);
  }
  return listen(service, { forward, event_types: events?.split(','), workspace, signature });
}

async function list(service: ServiceClient): Promise<number> {
  const webhooks = (await service.ask('GET', '/v2/webhooks')) as Record<string, unknown>[];
  for (const { id, url, enabled, disabled_reason, description } of webhooks) {
    console.log(
      `${id}  ${enabled ? 'enabled' : `disabled (${disabled_reason})`}  ${url}  ${printable(String(description ?? ''))}`.trimEnd(),
    );
  }
  if (webhooks.length === 0) console.error('There are no webhooks.');
  return 0;
}

async function ping(service: ServiceClient, _values: Values, [id]: readonly string[]): Promise<number> {
  const made = (await service.ask('POST', `/v2/webhooks/${id}/ping`)) as { readonly message_id: string };
  console.log(`${made.message_id} is sent.`);
  return 0;
}

async function replay(service: ServiceClient, { after, since }: Values, [id]: readonly string[]): Promise<number> {
  const body = { ...(after !== undefined && { after }), ...(since !== undefined && { since }) };
  const webhook = (await service.ask('POST', `/v2/webhooks/${id}/replay`, { body })) as { readonly place: string };
  console.log(`What happened after event ${webhook.place} is sent again.`);
  return 0;
}

/** Prints the deliveries as NDJSON, newest first. */
async function deliveries(service: ServiceClient, { status, limit }: Values, [id]: readonly string[]): Promise<number> {
  const query = new URLSearchParams({ ...(status !== undefined && { status }), ...(limit !== undefined && { limit }) });
  const found = (await service.ask('GET', `/v2/webhooks/${id}/deliveries?${query}`)) as object[];
  for (const delivery of found) console.log(JSON.stringify(delivery));
  if (found.length === 0) console.error('There are no such deliveries.');
  return 0;
}
