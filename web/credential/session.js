// Signing in. The session cookie is not readable by scripts; only the name of its user is stored here.
const STORED = 'inspection-exchange:session';
const address = new URL('../../api/rest/1.0/session', import.meta.url);
const button = document.querySelector('#session');
const dialog = document.querySelector('#sign-in');
const form = dialog.querySelector('form');
const fault = dialog.querySelector('output');
const signOutFault = document.querySelector('#sign-out-fault');

/** What is stored of the last session of this browser, a text that no other session has; empty once its user has signed out. */
export const stored = () => unstored ?? localStorage.getItem(STORED) ?? '';
const last = () => JSON.parse(stored() || '{}');

/** The user of the last session, also of one that has ended; undefined once that user has signed out. */
export const lastUser = () => last().username;

/** The signed-in user, until the service refuses the session: clocks differ. Undefined if there is none. */
export function signedIn() {
  const { username, hasEnded } = last();
  return hasEnded ? undefined : username;
}

/** The service knows of no session any more. */
export function forgetSession() {
  if (signedIn()) keep({ ...last(), hasEnded: true });
  else show();
}

/** Asks for name and password. */
export const offerSignIn = () => dialog.showModal();

/**
 * Calls `changed` whenever someone signs in or out: here, or (`isElsewhere`) in another tab, of which a page that was kept for the
 * Back button hears when it is shown again.
 */
export function onSession(changed) {
  const follow = () => {
    if (stored() === known) return;
    known = stored();
    show();
    if (!last().hasEnded) changed(true);
  };
  addEventListener('storage', follow);
  addEventListener('pageshow', follow);
  button.addEventListener('click', async () => {
    if (!signedIn()) {
      offerSignIn();
      return;
    }
    if (await signOut()) changed(false);
  });
  /** The sign-in under way: a second click is no second one, and a dialog that is closed waits for none. @type {AbortController | undefined} */
  let asked;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (event.submitter?.value === 'cancel') {
      dialog.close();
      return;
    }
    if (asked) return;
    const mine = new AbortController();
    asked = mine;
    const isIn = await signIn(mine.signal);
    if (asked === mine) asked = undefined;
    if (isIn) changed(false);
  });
  dialog.addEventListener('close', () => {
    asked?.abort();
    asked = undefined;
    form.reset();
    fault.textContent = '';
  });
}

/** @param {AbortSignal} signal */
async function signIn(signal) {
  fault.textContent = ''; // or the same again would not be read out
  const body = JSON.stringify(Object.fromEntries(new FormData(form)));
  const { said, problem } = await ask(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
    signal,
  });
  if (signal.aborted) return false;
  const isIn = said?.username !== undefined;
  fault.textContent = isIn ? '' : problem;
  if (!isIn) return false;
  keep(said);
  dialog.close();
  return true;
}

/** The session ends when the service says so, or says that there is none; until then, its cookie stays in use. */
async function signOut() {
  const { status, problem } = await ask(address, { method: 'DELETE', headers: { 'X-Requested-With': 'fetch' } });
  const isOut = status === 204 || status === 401;
  signOutFault.textContent = isOut ? '' : `You are still signed in. ${problem}`;
  if (isOut) keep(undefined);
  return isOut;
}

/** What the service answers, and what is wrong where it refuses, or does not answer itself. */
export async function ask(target, init) {
  const answer = await fetch(target, init).catch(() => undefined);
  if (!answer) return { problem: 'The service cannot be reached; try again.' };
  const said = await answer.json().catch(() => undefined);
  return {
    status: answer.status,
    said,
    problem: said?.detail ?? `The service cannot be reached just now (${answer.status}); try again.`,
  };
}

/** Stores a session, or that there is none, for all tabs. */
function keep(session) {
  const text = session && JSON.stringify(session);
  unstored = undefined;
  try {
    if (text) localStorage.setItem(STORED, text);
    else localStorage.removeItem(STORED);
  } catch {
    unstored = text;
  }
  known = stored();
  show();
}

function show() {
  const username = signedIn();
  button.textContent = username ? `Sign out ${username}` : 'Sign in…';
}

/** A session that this page alone knows of, as the browser has no room for it. @type {string | undefined} */
let unstored;
/** What this page has shown of `stored`. */
let known = stored();
show();
