// Hears of the changes of a workspace while the page is shown. A browser opens six HTTP/1.1 connections to a host, and each stream
// takes one of them: pages that nobody sees hold none, and the pages of one browser hold at most four together.
import { address, sendWithKey, textOf } from './api.js';
import { currentCaller, showAnswer } from './credential.js';

/** @import { Operations } from './operations.d.ts' */
/** @typedef {{ id: string, kind: string, type: string }} Change */
/**
 * Whether changes are heard; not known yet at first. `ended` and `refused`: no longer, as the session has ended or the key is refused.
 * `asking`: other pages take the streams of the browser, and this one asks again from time to time.
 * @typedef {boolean | undefined | 'ended' | 'refused' | 'asking'} Live
 */

/** The locks of the streams that the pages of a browser share. */
const STREAMS = ['1', '2', '3', '4'].map((number) => `inspection-exchange:stream-${number}`);
/** How often a page asks that has no stream. */
const ASK_MS = 10_000;
/** How long a stream may be silent, on which the service sends a comment every twelve seconds: then it was forgotten on its way. */
const SILENT_MS = 40_000;

/**
 * Calls `changed` for every change of a workspace, without one when there may have been some, and `state` with whether changes
 * are heard; returns how to end it.
 * @param {string} workspace
 * @param {(change?: Change) => void} changed
 * @param {(live: Live) => void} state
 */
export function follow(workspace, changed, state) {
  /** @type {AbortController | undefined} */
  let hearing;
  let isBehind = document.hidden;
  const turn = (/** @type {boolean} */ isShown) => {
    if (isShown === Boolean(hearing)) return;
    hearing?.abort();
    hearing = undefined;
    state(undefined);
    if (!isShown) return;
    hearing = new AbortController();
    hear({ workspace, changed, state, isBehind, signal: hearing.signal });
    isBehind = true; // the next time
  };
  const listeners = new AbortController();
  const { signal } = listeners;
  document.addEventListener('visibilitychange', () => turn(!document.hidden), { signal });
  addEventListener('pagehide', () => turn(false), { signal }); // a page that a browser keeps would keep its stream
  addEventListener('pageshow', () => turn(!document.hidden), { signal });
  turn(!document.hidden);
  return () => {
    listeners.abort();
    hearing?.abort();
  };
}

/** @typedef {{ workspace: string, changed: (change?: Change) => void, state: (live: Live) => void, isBehind: boolean, signal: AbortSignal }} Hearing */

/** Hears by a stream as soon as one is free, and asks until then. @param {Hearing} hearing */
async function hear({ signal, ...hearing }) {
  const over = new AbortController();
  const isWanted = AbortSignal.any([signal, over.signal]);
  const refused = () => over.abort();
  let { isBehind } = hearing;
  while (!isWanted.aborted) {
    const listening = () => listen({ ...hearing, isBehind, signal: isWanted }, refused);
    if (!(await withStream(isWanted, listening)) && !isWanted.aborted) hearing.state('asking');
    if (isWanted.aborted) return;
    await new Promise((resolve) => setTimeout(() => resolve(undefined), ASK_MS));
    if (isWanted.aborted) return;
    hearing.changed();
    isBehind = true;
  }
}

/** Takes a free stream until `use` is through with it; tells whether there was one, or none is wanted any more. @param {AbortSignal} signal @param {() => Promise<void>} use */
async function withStream(signal, use) {
  if (!navigator.locks) return use().then(() => true); // a page over HTTP has none
  for (const name of STREAMS) {
    const isTaken = await navigator.locks.request(name, { ifAvailable: true }, async (lock) => {
      if (lock && !signal.aborted) await use();
      return lock !== null;
    });
    if (isTaken || signal.aborted) return true;
  }
  return false;
}

/**
 * Listens to a stream until nobody wants it any more, it is refused, or it is over; connects again when it breaks.
 * @param {Hearing} hearing @param {() => void} refused @returns {Promise<void>}
 */
function listen({ workspace, changed, state, isBehind, signal }, refused) {
  return new Promise((resolve) => {
    const client = graphqlSse.createClient({
      url: address,
      fetchFn: async (target, options) => {
        const caller = currentCaller();
        const response = await sendUntilSilent(target, options);
        if (response.status === 401 && !signal.aborted) {
          state(caller.key ? 'refused' : 'ended');
          showAnswer(response.status, caller);
          refused();
        }
        return response;
      },
      retryAttempts: Number.POSITIVE_INFINITY,
      retry: (retries) => new Promise((again) => setTimeout(again, Math.min(10_000, 500 * 2 ** retries))),
      on: {
        connecting: (isAgain) => isAgain && state(false),
        connected: (isAgain) => {
          state(true);
          if (isAgain || isBehind) changed(); // what happened meanwhile
        },
      },
    });
    const over = () => {
      if (!signal.aborted) state(false);
      resolve(undefined);
    };
    signal.addEventListener('abort', () => {
      client.dispose();
      resolve(undefined);
    });
    client.subscribe(
      { query: textOf('changes'), variables: { workspace } },
      {
        next: ({ data }) => data && changed(/** @type {Operations['changes']['data']} */ (data).documentChanged),
        error: over,
        complete: over,
      },
    );
  });
}

/** Sends a request whose response breaks once nothing of it has come for too long. @param {string} target @param {RequestInit} options */
async function sendUntilSilent(target, options) {
  const silence = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const heard = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), SILENT_MS);
  };
  heard();
  const signal = options.signal ? AbortSignal.any([options.signal, silence.signal]) : silence.signal;
  signal.addEventListener('abort', () => clearTimeout(timer));
  const response = await sendWithKey(target, { ...options, signal });
  const hearing = new TransformStream({
    transform(chunk, controller) {
      heard();
      controller.enqueue(chunk);
    },
    flush: () => clearTimeout(timer),
  });
  return new Response(response.body?.pipeThrough(hearing), response);
}
