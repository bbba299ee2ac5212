// The API key of the bar above a page. It stays in this tab (sessionStorage).
const STORED = 'inspection-exchange:key';
const form = document.querySelector('#credential');
const key = document.querySelector('#key');
const callers = document.querySelector('#callers');
const state = document.querySelector('#state');

/** The key that stands in the bar; empty when there is none. */
export const currentKey = () => key.value.trim();

/** Says so when the service refused the key that was sent, unless another one stands there by now. */
export function showAnswer(status, sent) {
  if (sent === currentKey()) showRefusal(status === 401, sent);
}

/** Calls `take` now, and whenever another key is chosen. */
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
  take();
}

function showRefusal(refused, sent) {
  key.setAttribute('aria-invalid', String(refused));
  if (!refused) state.textContent = '';
  else if (sent) state.textContent = 'The service refused this API key (401): it is unknown, expired or revoked.';
  else state.textContent = 'The service needs an API key for this (401): enter one above.';
}

function showCaller() {
  callers.value = key.value;
  if (callers.selectedIndex < 0) callers.value = '';
}

key.value = sessionStorage.getItem(STORED) ?? key.value;
callers.hidden = callers.options.length < 2;
showCaller();
