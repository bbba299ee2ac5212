// GraphiQL over /graphql, with the API key of the bar above it.
import { currentCaller, onKey, showAnswer, withKey } from './credential.js';

const { createElement } = React;
const given = new URLSearchParams(location.search);
const query = given.get('query') ?? undefined;
const variables = given.get('variables') ?? undefined;
const tabs = [...document.querySelectorAll('.tab')].map(({ content }) => ({ query: content.textContent }));
if (query) tabs.unshift({ query, variables });

/** What a screen reader calls each editor, by its mode. */
const EDITORS = { graphql: 'Query', 'graphql-variables': 'Variables', 'graphql-results': 'Result' };

/**
 * The keys of the editors: Tab leads on, and Shift-Tab back (WCAG 2.1.2); Ctrl-] and Ctrl-[ indent. An array, as GraphiQL
 * also shows it as a text. With it come the editors: each gets a name, and that of the query the focus, for Ctrl-Enter.
 */
const keyMap = Object.assign(['sublime, but Tab leaves the editor'], {
  Tab: false,
  'Shift-Tab': false,
  fallthrough: 'sublime',
  attach(editor) {
    const mode = editor.getOption('mode');
    editor.setOption('screenReaderLabel', EDITORS[mode] ?? 'Headers');
    if (mode !== 'graphql') return;
    if (document.activeElement === document.body) editor.focus();
    const hasKeyboard = !matchMedia('(pointer: coarse)').matches; // one on the screen would cover the page
    editor.on('changes', (_, [change]) => {
      if (change.origin === 'setValue' && hasKeyboard) editor.focus(); // another tab was chosen
    });
  },
});

const url = new URL('../../graphql', import.meta.url).href;
const root = ReactDOM.createRoot(document.querySelector('#graphiql'));

/** Sends what GraphiQL asks with the key. */
async function send(address, options) {
  const sent = currentCaller();
  const response = await fetch(address, { ...options, headers: withKey(options.headers) });
  showAnswer(response.status, sent);
  return response;
}

/** A new fetcher makes GraphiQL read the schema again, as another key may be allowed what this one is not. */
onKey(() => {
  const fetcher = (params, options) => {
    // what GraphiQL asks of a client of WebSockets, the client of Server-Sent Events has as well
    const wsClient = graphqlSse.createClient({ url, fetchFn: send, headers: options?.headers, retryAttempts: 0 });
    return GraphiQL.createFetcher({ url, fetch: send, wsClient })(params, options);
  };
  const tools = variables ? 'variables' : false;
  const shown = { query, variables, defaultTabs: tabs, defaultEditorToolsVisibility: tools };
  root.render(createElement(GraphiQL, { fetcher, ...shown, keyMap }));
});
