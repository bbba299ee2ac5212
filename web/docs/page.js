// Swagger UI over one of the OpenAPI documents, with the API key of the bar above it.
import { currentCaller, currentKey, onKey, showAnswer } from './credential.js';

const choice = document.querySelector('#document');
const asked = new URLSearchParams(location.search).get('document');
const dark = matchMedia('(prefers-color-scheme: dark)');

/** The document, with this host as its server: the page may send requests nowhere else. */
async function load(path) {
  const document = await (await fetch(path)).json();
  return { ...document, servers: [{ url: new URL('../..', import.meta.url).href.replace(/\/$/, '') }] };
}

function showColours() {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}

let asking = currentCaller(); // by whom the last request was sent
let authorized = false; // logging out before is an error

const authorize = (ui) => {
  if (currentKey()) ui.preauthorizeApiKey('bearer', currentKey());
  else if (authorized) ui.authActions.logout(['bearer']);
  authorized = currentKey() !== '';
};

showColours();
dark.addEventListener('change', showColours);
if ([...choice.options].some(({ value }) => value === asked)) choice.value = asked;
choice.addEventListener('change', () => {
  location.assign(`?${new URLSearchParams({ document: choice.value })}`);
});

const ui = SwaggerUIBundle({
  spec: await load(choice.value),
  dom_id: '#docs',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'none',
  filter: true,
  syntaxHighlight: { theme: 'tomorrow-night' }, // the texts of the usual one have too little contrast
  tryItOutEnabled: true,
  validatorUrl: null,
  onComplete: () => onKey(() => authorize(ui)),
  requestInterceptor: (request) => {
    asking = currentCaller();
    if (!currentKey()) request.headers['X-Requested-With'] = 'fetch'; // what a change by session needs
    return request;
  },
  responseInterceptor: (response) => {
    showAnswer(response.status, asking);
    return response;
  },
});
