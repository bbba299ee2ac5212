// Swagger UI over one of the OpenAPI documents, with the API key of the bar above it.
import { currentCaller, currentKey, onKey, showAnswer } from './credential.js';
import { ask } from './session.js';

const choice = document.querySelector('#document');
const asked = new URLSearchParams(location.search).get('document');
const dark = matchMedia('(prefers-color-scheme: dark)');
const place = document.querySelector('#docs');

/** The document, with this host as its server: the page may send requests nowhere else. */
const here = (document) => ({
  ...document,
  servers: [{ url: new URL('../..', import.meta.url).href.replace(/\/$/, '') }],
});

function showColours() {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}

let sentBy = currentCaller(); // by whom the last request was sent
let ui; // once the document is drawn
let authorized = false; // logging out before is an error

function authorize() {
  if (currentKey()) ui.preauthorizeApiKey('bearer', currentKey());
  else if (authorized) ui.authActions.logout(['bearer']);
  authorized = currentKey() !== '';
}

showColours();
dark.addEventListener('change', showColours);
if ([...choice.options].some(({ value }) => value === asked)) choice.value = asked;
choice.addEventListener('change', () => {
  location.assign(`?${new URLSearchParams({ document: choice.value })}`);
});

/** Draws a document. */
function draw(document) {
  const drawn = SwaggerUIBundle({
    spec: here(document),
    dom_id: '#docs',
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: 'none',
    filter: true,
    syntaxHighlight: { theme: 'tomorrow-night' }, // the texts of the usual one have too little contrast
    tryItOutEnabled: true,
    validatorUrl: null,
    onComplete: () => {
      ui = drawn;
      authorize();
    },
    requestInterceptor: (request) => {
      sentBy = currentCaller();
      if (!currentKey()) request.headers['X-Requested-With'] = 'fetch'; // what a change by session needs
      return request;
    },
    responseInterceptor: (response) => {
      showAnswer(response.status, sentBy);
      return response;
    },
  });
}

let isAsking = false;

/** Asks for the document that is chosen, unless it is there or on its way, and says what is wrong where there is none. */
async function show() {
  if (isAsking) return;
  isAsking = true;
  const { status, said, problem } = await ask(new URL(`../..${choice.value}`, import.meta.url));
  if (status === 200 && said) {
    draw(said);
    return;
  }
  isAsking = false;
  const fault = document.createElement('p');
  fault.role = 'alert';
  const again = document.createElement('button');
  again.textContent = 'Try again';
  again.addEventListener('click', show);
  fault.append(problem, ' ', again);
  place.replaceChildren(fault);
}

onKey(() => (ui ? authorize() : show()));
