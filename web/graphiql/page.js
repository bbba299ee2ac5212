// GraphiQL over /graphql, with the API key of the field above it. The key stays in this tab (sessionStorage).
const STORED = 'inspection-exchange:key';
const { createElement } = React;
const form = document.querySelector('#credential');
const key = document.querySelector('#key');
const callers = document.querySelector('#callers');
const state = document.querySelector('#state');
const example = document.querySelector('#example').content.textContent;
const root = ReactDOM.createRoot(document.querySelector('#graphiql'));

/** Sends what GraphiQL asks with the key, and says so when the service refuses it. */
async function send(address, options) {
  const sent = key.value.trim();
  const headers = new Headers(options.headers);
  if (sent && !headers.has('authorization')) headers.set('authorization', `Bearer ${sent}`);
  const response = await fetch(address, { ...options, headers });
  if (sent === key.value.trim()) showRefusal(response.status === 401, sent);
  return response;
}

function showRefusal(refused, sent) {
  key.setAttribute('aria-invalid', String(refused));
  if (!refused) state.textContent = '';
  else if (sent) state.textContent = 'The service refused this API key (401): it is unknown, expired or revoked.';
  else state.textContent = 'The service needs an API key for this (401): enter one above.';
}

/** A new fetcher makes GraphiQL read the schema again, as another key may be allowed what this one is not. */
function render() {
  const fetcher = GraphiQL.createFetcher({ url: location.pathname, fetch: send });
  const query = new URLSearchParams(location.search).get('query') ?? undefined;
  root.render(createElement(GraphiQL, { fetcher, query, defaultQuery: example, defaultEditorToolsVisibility: false }));
}

function takeKey() {
  key.value = key.value.trim();
  sessionStorage.setItem(STORED, key.value);
  showCaller();
  showRefusal(false);
  render();
}

function showCaller() {
  callers.value = key.value;
  if (callers.selectedIndex < 0) callers.value = '';
}

key.value = sessionStorage.getItem(STORED) ?? key.value;
callers.hidden = callers.options.length < 2;
showCaller();
key.addEventListener('change', takeKey);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  takeKey();
});
callers.addEventListener('change', () => {
  key.value = callers.value;
  if (key.value) takeKey();
  else key.focus();
});
render();
