// What the dashboard looks at; kept in the address, so that it can be shared.
import { html } from './preact.js';

const NAMES = ['workspace', 'from', 'to', 'vessel', 'product', 'port', 'laytime', 'job'];
/** The hours of laytime that are allowed, unless the address says otherwise. */
const LAYTIME_HOURS = 36;

/** How many hours of laytime are allowed. @param {Filters} filters */
export const allowedOf = ({ laytime }) => (Number(laytime) > 0 ? Number(laytime) : LAYTIME_HOURS);

/** @typedef {Partial<Record<'workspace' | 'from' | 'to' | 'vessel' | 'product' | 'port' | 'laytime' | 'job', string>>} Filters */

/** The filters in the address. @returns {Filters} */
export function readAddress() {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(NAMES.flatMap((name) => (given.get(name) ? [[name, given.get(name)]] : [])));
}

/** Puts the filters into the address, without a step in the history. */
export function writeAddress(filters) {
  const kept = new URLSearchParams(NAMES.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])));
  history.replaceState(null, '', kept.size > 0 ? `?${kept}` : location.pathname);
}

/** The period as GraphQL takes it; the last day is in it. @param {Filters} filters @returns {{ from?: string, to?: string }} */
export const periodOf = ({ from, to }) => ({
  ...(from && { from }),
  ...(to && { to: new Date(Date.parse(to) + 24 * 60 * 60_000).toISOString() }),
});

/** The same for statistics, which end now unless they are told: a period that has not begun yet is its first day. @param {Filters} filters */
export function countedPeriodOf(filters) {
  const { from, to } = periodOf(filters);
  return from && !to && Date.parse(from) > Date.now() ? periodOf({ from, to: from }) : { from, to };
}

/** The filters as a `where` of jobs. @param {Filters} filters */
export function whereOf(filters) {
  const { vessel, product, port } = filters;
  const { from, to } = periodOf(filters);
  return {
    ...((from || to) && { eta: { ...(from && { gte: new Date(from).toISOString() }), ...(to && { lt: to }) } }),
    ...(vessel && { transports: { id: { eq: vessel } } }),
    ...(port && { location: { id: { eq: port } } }),
    ...(product && { cargo: { product: { id: { eq: product } } } }),
  };
}

/** The bar of filters. */
export function Filters({ filters, workspaces, choices, change }) {
  const select = (name, label, options, any) => html`<label>${label}
    <select name=${name} value=${filters[name] ?? ''} onChange=${({ target }) => change({ [name]: target.value || undefined })}>
      ${any && html`<option value="">${any}</option>`}
      ${options.map(({ id, name: shown, description }) => html`<option value=${id} selected=${filters[name] === id}>${shown ?? description ?? id}</option>`)}
    </select></label>`;
  const date = (name, label) => html`<label>${label}
    <input type="date" name=${name} value=${filters[name] ?? ''} onChange=${({ target }) => change({ [name]: target.value || undefined })} /></label>`;
  const choose = ({ target }) =>
    change({ workspace: target.value, vessel: undefined, product: undefined, port: undefined });
  return html`<form class="filters" aria-label="Filters" onSubmit=${(event) => event.preventDefault()}>
    <label>Workspace <select name="workspace" value=${filters.workspace ?? ''} onChange=${choose}>
      ${workspaces.map(({ id, description }) => html`<option value=${id} selected=${filters.workspace === id}>${description ?? id}</option>`)}
    </select></label>
    ${date('from', 'ETA from')} ${date('to', 'to')}
    ${select('vessel', 'Vessel', choices.vessels, 'All vessels')}
    ${select('product', 'Product', choices.products, 'All products')}
    ${select('port', 'Place', choices.ports, 'All places')}
    <label>Laytime allowed, h
    <input type="number" name="laytime" min="1" max="999" step="any" value=${allowedOf(filters)} onChange=${({ target }) => change({ laytime: Number(target.value) > 0 ? target.value : undefined })} /></label>
  </form>`;
}
