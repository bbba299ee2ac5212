// GraphiQL over /graphql, with the API key of the bar above it.
import { currentKey, onKey, showAnswer } from './credential.js';

const { createElement } = React;
const example = document.querySelector('#example').content.textContent;
const root = ReactDOM.createRoot(document.querySelector('#graphiql'));

/** Sends what GraphiQL asks with the key. */
async function send(address, options) {
  const sent = currentKey();
  const headers = new Headers(options.headers);
  if (sent && !headers.has('authorization')) headers.set('authorization', `Bearer ${sent}`);
  const response = await fetch(address, { ...options, headers });
  showAnswer(response.status, sent);
  return response;
}

/** A new fetcher makes GraphiQL read the schema again, as another key may be allowed what this one is not. */
onKey(() => {
  const fetcher = GraphiQL.createFetcher({ url: location.pathname, fetch: send });
  const query = new URLSearchParams(location.search).get('query') ?? undefined;
  root.render(createElement(GraphiQL, { fetcher, query, defaultQuery: example, defaultEditorToolsVisibility: false }));
});
