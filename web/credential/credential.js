// The API key of the bar above a page, which stays in this tab (sessionStorage); without one, the session of the browser.
import { forgetSession, lastUser, onSession, signedIn, stored } from './session.js';

export { offerSignIn } from './session.js';

const STORED = 'inspection-exchange:key';
const form = document.querySelector('#credential');
const key = document.querySelector('#key');
const callers = document.querySelector('#callers');
const state = document.querySelector('#state');

/** The key in the bar; empty if there is none. */
export const currentKey = () => key.value.trim();

/** Who asks now: by the key in the bar or, without one, by the session that there is. */
export const currentCaller = () => ({ key: currentKey(), session: currentKey() ? '' : stored() });

/** Headers with the key, unless they have one already; throws what is wrong with a key that cannot be sent. */
export function withKey(headers) {
  const sent = new Headers(headers);
  if (sent.has('authorization') || !currentKey()) return sent;
  const fault = faultOf(currentKey());
  if (fault) throw new Error(fault);
  sent.set('authorization', `Bearer ${currentKey()}`);
  return sent;
}

/** What cannot be in a key: it is sent in a header, which has ASCII alone. */
function faultOf(text) {
  const [sign] = text.match(/[^\x21-\x7e]/u) ?? [];
  if (sign) return `An API key has only ASCII letters, digits and punctuation, not “${sign}”: paste it again.`;
}

/** Shows that the service rejected who asked, unless someone else asks since. */
export function showAnswer(status, { key: sent, session }) {
  const now = currentCaller();
  if (sent === now.key && session === now.session) showRefusal(status === 401, sent);
}

/** The user to whom the page has been shown. */
let shownTo = signedIn();

/**
 * Calls `take` now, and whenever another key is chosen, or someone signs in or out. What was shown to a user who signs out, or is
 * followed by another one, goes with the whole page, in each tab.
 */
export function onKey(take) {
  const changed = () => {
    key.value = currentKey();
    sessionStorage.setItem(STORED, key.value);
    showCaller();
    showRefusal(false);
    showFault();
    take();
  };
  key.addEventListener('change', changed);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    changed();
  });
  callers.addEventListener('change', () => {
    key.value = callers.value;
    if (key.value) changed();
    else key.focus();
  });
  onSession((isElsewhere) => {
    if (isElsewhere && currentKey()) return;
    key.value = '';
    if (shownTo && shownTo !== lastUser()) {
      sessionStorage.setItem(STORED, '');
      location.reload();
      return;
    }
    shownTo = lastUser();
    changed();
  });
  take();
}

function showRefusal(refused, sent) {
  key.setAttribute('aria-invalid', String(refused));
  if (!refused) state.textContent = '';
  else if (sent) state.textContent = 'The service refused this API key (401): it is unknown, expired or revoked.';
  else if (lastUser()) {
    state.textContent = 'The session has ended (401): sign in again.';
    forgetSession();
  } else state.textContent = 'The service needs a credential (401): enter an API key above, or sign in.';
}

function showFault() {
  const fault = faultOf(currentKey());
  if (!fault) return;
  key.setAttribute('aria-invalid', 'true');
  state.textContent = fault;
}

function showCaller() {
  callers.value = key.value;
  if (callers.selectedIndex < 0) callers.value = '';
}

key.value = sessionStorage.getItem(STORED) ?? (signedIn() ? '' : key.value);
callers.hidden = callers.options.length < 2;
showCaller();
showFault();
