// Asks /graphql, by the hash of each operation; the service is given the text once.
import { currentCaller, currentKey, showAnswer, withKey } from './credential.js';

/** @import { Operations } from './operations.d.ts' */
/** @typedef {keyof Operations} Name */

/** The operations of the page by their names: text and SHA-256. @type {Map<string, { text: string, hash: string }>} */
const operations = new Map(
  /** @type {HTMLTemplateElement[]} */ ([...document.querySelectorAll('template.operation')]).map(
    ({ dataset, content }) => [dataset.name ?? '', { text: content.textContent ?? '', hash: dataset.hash ?? '' }],
  ),
);

/** @param {Name} name */
const operationOf = (name) => {
  const found = operations.get(name);
  if (!found) throw new Error(`There is no operation ${name}.`);
  return found;
};

/** Where questions and subscriptions go. */
export const address = new URL('../../graphql', import.meta.url).href;

/** The text of an operation, for GraphiQL. @param {Name} name */
export const textOf = (name) => operationOf(name).text;

/** An answer that cannot be shown, in words for its reader. */
export class AskError extends Error {
  /** Whether the same question will have an answer soon. */
  isForNow = false;
}

/** @param {string} message */
const forNow = (message) => Object.assign(new AskError(message), { isForNow: true });

/**
 * The data of an operation; throws an AskError that says what to do.
 * @template {Name} N
 * @param {N} name
 * @param {Operations[N]['variables']} variables
 * @param {AbortSignal} [signal]
 * @returns {Promise<Operations[N]['data']>}
 */
export async function ask(name, variables, signal) {
  const { text, hash } = operationOf(name);
  const hasKey = currentKey() !== '';
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash } };
  let answer = await send({ extensions, variables }, signal);
  const code = answer.errors?.[0]?.extensions?.code;
  if (code === 'PERSISTED_QUERY_NOT_FOUND') answer = await send({ query: text, extensions, variables }, signal);
  if (code === 'PERSISTED_QUERY_NOT_SUPPORTED') answer = await send({ query: text, variables }, signal);
  const [error] = answer.errors?.filter((one) => !isLeftOut(one)) ?? [];
  if (error) {
    throw Object.assign(new AskError(explained(error, hasKey)), { isForNow: error.extensions?.code === 'UNAVAILABLE' });
  }
  return answer.data;
}

/** Tells whether only a part called `listed` is missing, whose filter goes through more jobs than it may. @param {{ path?: readonly unknown[], extensions?: { code?: string } }} error */
const isLeftOut = ({ path, extensions }) => path?.[0] === 'listed' && extensions?.code === 'INVALID_INPUT';

/** @param {{ message: string, extensions?: { code?: string } }} error @param {boolean} hasKey */
function explained({ message, extensions = {} }, hasKey) {
  switch (extensions.code) {
    case 'UNAUTHENTICATED':
      return hasKey
        ? 'The service refuses this API key. Enter another one above, or sign in.'
        : 'Enter an API key above, or sign in.';
    case 'OPERATION_NOT_ALLOWED':
      return 'This service runs only registered operations, and those of the dashboard are not among them. The operator of the service can add them.';
    case 'TIMED_OUT':
      return 'The query takes too long. Choose a shorter period, or filter by vessel, product or port.';
    default:
      return message;
  }
}

async function send(body, signal) {
  const caller = currentCaller();
  const response = await sendWithKey(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
    body: JSON.stringify(body),
    signal,
  }).catch((error) => {
    if (error.name === 'AbortError') throw error;
    throw forNow('The service cannot be reached. The dashboard will try again automatically.');
  });
  showAnswer(response.status, caller);
  const answer = await response.json().catch((error) => {
    if (error.name === 'AbortError') throw error;
  });
  if (answer?.data || Array.isArray(answer?.errors)) return answer;
  throw notAnswered(response.status);
}

/** The statuses by which a proxy or a gateway says that the service will answer later. */
const FOR_NOW = [429, 502, 503, 504];

/** What is sent by others than the service is no answer, whatever its form. @param {number} status */
function notAnswered(status) {
  return FOR_NOW.includes(status)
    ? forNow(`The service cannot be reached just now (${status}). The dashboard will try again automatically.`)
    : new AskError(`What was received is not a response from the service (${status}).`);
}

/** The contents of a file, by the path that GraphQL gives; throws an AskError that says what is wrong. @param {string} path @returns {Promise<Blob>} */
export async function fetchFile(path) {
  const caller = currentCaller();
  const response = await sendWithKey(path, {}).catch(() => {
    throw new AskError('The service cannot be reached; try again.');
  });
  showAnswer(response.status, caller);
  if (response.ok) {
    return response.blob().catch(() => {
      throw new AskError('The download broke off; try again.');
    });
  }
  const said = await response.json().catch(() => undefined);
  if (typeof said?.code !== 'string') {
    throw new AskError(`The file cannot be downloaded just now (${response.status}); try again.`);
  }
  throw new AskError(explained({ message: said.detail, extensions: said }, caller.key !== ''));
}

/** Sends a request with the key of the bar; throws what is wrong with one that cannot be sent. */
export function sendWithKey(target, options) {
  return fetch(target, { ...options, headers: withKey(options.headers) });
}
