// Signing in. The session cookie is not readable by scripts; only the name of its user is stored here.
const STORED = 'inspection-exchange:session';
const address = new URL('api/rest/1.0/session', location.href);
const button = document.querySelector('#session');
const dialog = document.querySelector('#sign-in');
const form = dialog.querySelector('form');
const fault = dialog.querySelector('output');

/** The signed-in user, as far as this browser knows; undefined if there is none. */
export function signedIn() {
  const { username, expiresAt } = JSON.parse(localStorage.getItem(STORED) ?? '{}');
  return Date.parse(expiresAt) > Date.now() ? username : undefined;
}

/** The service knows of no session any more. */
export function forgetSession() {
  localStorage.removeItem(STORED);
  show();
}

/** Asks for name and password. */
export const offerSignIn = () => dialog.showModal();

/** Calls `changed` whenever someone signs in or out. */
export function onSession(changed) {
  button.addEventListener('click', async () => {
    if (!signedIn()) {
      offerSignIn();
      return;
    }
    await fetch(address, { method: 'DELETE', headers: { 'X-Requested-With': 'fetch' } });
    forgetSession();
    changed();
  });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (event.submitter?.value === 'cancel') dialog.close();
    else if (await signIn()) changed();
  });
  dialog.addEventListener('close', () => {
    form.reset();
    fault.textContent = '';
  });
}

async function signIn() {
  const body = JSON.stringify(Object.fromEntries(new FormData(form)));
  const headers = { 'Content-Type': 'application/json' };
  const answer = await fetch(address, { method: 'POST', headers, body });
  const said = await answer.json();
  if (answer.ok) {
    localStorage.setItem(STORED, JSON.stringify(said));
    dialog.close();
    show();
  } else fault.textContent = said.detail;
  return answer.ok;
}

function show() {
  const username = signedIn();
  button.textContent = username ? `Sign out ${username}` : 'Sign in…';
}

addEventListener('storage', show); // another tab signed in or out
show();
