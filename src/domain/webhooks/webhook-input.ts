import { VIOLATIONS_SOUGHT, type Violation } from '../../errors.ts';
import { MOST_ITEMS } from '../../model/fields/schema-parts.ts';
import { type JsonObject, pointer } from '../../model/json.ts';
import { isUuid } from '../../model/uuid.ts';
import {
  DELIVERY_STATUSES,
  SIGNATURE_KINDS,
  type SignatureKind,
  type WebhookSettings,
} from '../../model/webhooks/webhook.ts';
import { EVENT_TYPES } from '../../model/webhooks/webhook-events.ts';
import { LONGEST_DESCRIPTION } from '../../model/webhooks/webhook-form.ts';
import { refusalOfUrl, type UrlRules } from '../../webhooks/address-rules.ts';
import { rangeViolations } from '../validation/ranges.ts';

type Settings = Partial<WebhookSettings>;
/** Reads one member; returns an error text if it is invalid, or one for each invalid item. */
type ReadMember = (value: unknown, rules: UrlRules) => Settings | string | ReadonlyMap<number, string>;

/** The members that a request may set; null removes an optional member. */
const MEMBERS: Readonly<Record<string, ReadMember>> = {
  url(value, rules) {
    if (typeof value !== 'string') return 'must be a string.';
    return refusalOfUrl(value, rules) ?? { url: value };
  },
  description(value) {
    if (value === null) return { description: null };
    if (typeof value !== 'string') return 'must be a string.';
    if (value.length > LONGEST_DESCRIPTION) return `must have at most ${LONGEST_DESCRIPTION} characters.`;
    return { description: value };
  },
  event_types(value) {
    if (value === null) return { event_types: [] };
    if (!Array.isArray(value)) return 'must be an array of event types.';
    if (value.length > MOST_ITEMS) return `must have at most ${MOST_ITEMS} items.`;
    const faults = [...value.entries()].filter(([, type]) => !EVENT_TYPES.includes(type)).slice(0, VIOLATIONS_SOUGHT);
    if (faults.length === 0) return { event_types: [...new Set(value as string[])] };
    return new Map(faults.map(([index]) => [index, `is not a type of event: there are ${EVENT_TYPES.join(', ')}.`]));
  },
  workspace(value) {
    if (value === null) return { workspace: null };
    return typeof value === 'string' && isUuid(value) ? { workspace: value } : 'must be a UUID.';
  },
  signature(value) {
    if (SIGNATURE_KINDS.includes(value as SignatureKind)) return { signature: value as SignatureKind };
    return `must be one of ${SIGNATURE_KINDS.join(', ')}.`;
  },
  enabled: (value) => (typeof value === 'boolean' ? { enabled: value } : 'must be true or false.'),
};

/** The settings in a body, as far as they are valid, and what is wrong with the others. */
export interface ReadSettings<S extends Settings = Settings> {
  readonly settings: S;
  readonly violations: readonly Violation[];
}

const UNLESS_SET: WebhookSettings = {
  url: '',
  description: null,
  event_types: [],
  workspace: null,
  signature: 'v1',
  enabled: true,
};

/** Reads the settings of a new webhook, which must have an address. */
export function readNewSettings(body: JsonObject, rules: UrlRules): ReadSettings<WebhookSettings> {
  const { settings, violations } = readSettings(body, rules);
  const missing = Object.hasOwn(body, 'url') ? [] : [{ path: '/url', message: 'is missing.' }];
  return { settings: { ...UNLESS_SET, ...settings }, violations: [...violations, ...missing] };
}

/** Reads the changed settings of a webhook; whether it keeps its kind of signature can be said only if that is known. */
export function readChangedSettings(patch: JsonObject, rules: UrlRules, signature?: SignatureKind): ReadSettings {
  const { settings, violations } = readSettings(patch, rules);
  const isChanged = signature !== undefined && (settings.signature ?? signature) !== signature;
  const message = 'cannot be changed, since the secret belongs to it: make another webhook.';
  return { settings, violations: [...violations, ...(isChanged ? [{ path: '/signature', message }] : [])] };
}

/** Members that are no settings are not stored, and so are refused. */
function readSettings(body: JsonObject, rules: UrlRules): ReadSettings {
  const violations: Violation[] = [];
  let settings: Settings = {};
  for (const [name, value] of Object.entries(body)) {
    if (violations.length >= VIOLATIONS_SOUGHT) break;
    const read = Object.hasOwn(MEMBERS, name) ? MEMBERS[name] : undefined;
    const result =
      read?.(value, rules) ?? `is not a member of a webhook: there are ${Object.keys(MEMBERS).join(', ')}.`;
    if (typeof result === 'string') violations.push({ path: pointer([name]), message: result });
    else if (result instanceof Map) {
      for (const [index, message] of result) violations.push({ path: pointer([name, index]), message });
    } else settings = { ...settings, ...result };
  }
  return { settings, violations };
}

/** A page of deliveries. */
export interface DeliveriesRequest {
  readonly status?: string | null | undefined;
  readonly first: number;
  /** The id of the last delivery of the previous page. */
  readonly after?: string | null | undefined;
}

const MAX_DELIVERIES = 1_000;

/** What is wrong with the status and the number of deliveries that are asked for. */
export function deliveriesViolations({ status, first = 1 }: Partial<DeliveriesRequest>): Violation[] {
  const isKnown = status === undefined || status === null || DELIVERY_STATUSES.some((known) => known === status);
  return [
    ...(isKnown ? [] : [{ parameter: 'status', message: `must be one of ${DELIVERY_STATUSES.join(', ')}.` }]),
    ...rangeViolations({ first }, [1, MAX_DELIVERIES]),
  ];
}
