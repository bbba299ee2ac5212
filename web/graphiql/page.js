// GraphiQL over /graphql, with the API key of the bar above it.
import { currentKey, onKey, showAnswer, withKey } from './credential.js';

const { createElement } = React;
const given = new URLSearchParams(location.search);
const query = given.get('query') ?? undefined;
const variables = given.get('variables') ?? undefined;
const tabs = [...document.querySelectorAll('.tab')].map(({ content }) => ({ query: content.textContent }));
if (query) tabs.unshift({ query, variables });
const root = ReactDOM.createRoot(document.querySelector('#graphiql'));

/** Sends what GraphiQL asks with the key. */
async function send(address, options) {
  const sent = currentKey();
  const response = await fetch(address, { ...options, headers: withKey(options.headers) });
  showAnswer(response.status, sent);
  return response;
}

/** A new fetcher makes GraphiQL read the schema again, as another key may be allowed what this one is not. */
onKey(() => {
  const url = location.pathname;
  const fetcher = (params, options) => {
    // what GraphiQL asks of a client of WebSockets, the client of Server-Sent Events has as well
    const wsClient = graphqlSse.createClient({ url, fetchFn: send, headers: options?.headers, retryAttempts: 0 });
    return GraphiQL.createFetcher({ url, fetch: send, wsClient })(params, options);
  };
  const tools = variables ? 'variables' : false;
  root.render(
    createElement(GraphiQL, { fetcher, query, variables, defaultTabs: tabs, defaultEditorToolsVisibility: tools }),
  );
});
