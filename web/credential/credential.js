// The API key of the bar above a page, which stays in this tab (sessionStorage); without one, the session of the browser.
import { forgetSession, onSession, signedIn } from './session.js';

export { offerSignIn } from './session.js';

const STORED = 'inspection-exchange:key';
const form = document.querySelector('#credential');
const key = document.querySelector('#key');
const callers = document.querySelector('#callers');
const state = document.querySelector('#state');

/** The key in the bar; empty if there is none. */
export const currentKey = () => key.value.trim();

/** Shows that the service rejected the key that was sent, unless it has been replaced since. */
export function showAnswer(status, sent) {
  if (sent === currentKey()) showRefusal(status === 401, sent);
}

/** Calls `take` now, and whenever another key is chosen, or someone signs in or out. */
export function onKey(take) {
  const changed = () => {
    key.value = currentKey();
    sessionStorage.setItem(STORED, key.value);
    showCaller();
    showRefusal(false);
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
  onSession(() => {
    key.value = '';
    changed();
  });
  take();
}

function showRefusal(refused, sent) {
  key.setAttribute('aria-invalid', String(refused));
  if (!refused) state.textContent = '';
  else if (sent) state.textContent = 'The service refused this API key (401): it is unknown, expired or revoked.';
  else if (signedIn()) {
    state.textContent = 'The session has ended (401): sign in again.';
    forgetSession();
  } else state.textContent = 'The service needs to know who asks (401): enter an API key above, or sign in.';
}

function showCaller() {
  callers.value = key.value;
  if (callers.selectedIndex < 0) callers.value = '';
}

key.value = sessionStorage.getItem(STORED) ?? (signedIn() ? '' : key.value);
callers.hidden = callers.options.length < 2;
showCaller();
