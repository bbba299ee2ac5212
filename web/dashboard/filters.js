// What the dashboard looks at; kept in the address, so that it can be shared.
import { html, useState } from './preact.js';
import { isolated } from './views/show.js';

const NAMES = /** @type {const} */ (['workspace', 'from', 'to', 'vessel', 'product', 'port', 'laytime', 'job']);
/** The hours of laytime that are allowed, unless the address says otherwise. */
const LAYTIME_HOURS = 36;

/** Those that are ids of something in the workspace. */
const IDS = /** @type {const} */ (['vessel', 'product', 'port', 'job']);

/** Chosen among the records of one workspace. */
const OF_A_WORKSPACE = { vessel: undefined, product: undefined, port: undefined };

/** The hours of laytime that can be allowed. */
const LAYTIME = { least: 1, most: 999 };
/** @param {string} text */
const isLaytime = (text) => Number(text) >= LAYTIME.least && Number(text) <= LAYTIME.most;

/** How many hours of laytime are allowed. @param {Filters} filters */
export const allowedOf = ({ laytime }) => (laytime && isLaytime(laytime) ? Number(laytime) : LAYTIME_HOURS);

/** Tells whether a text is an id. @param {string | undefined} text */
export const isId = (text) => text !== undefined && /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);

/** @typedef {Partial<Record<'workspace' | 'from' | 'to' | 'vessel' | 'product' | 'port' | 'laytime' | 'job', string>>} Filters */

/** An id as the service writes it. @param {string} text */
const asWritten = (text) => (isId(text.toLowerCase()) ? text.toLowerCase() : text);

/** The filters in the address. @returns {Filters} */
export function readAddress() {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(NAMES.map((name) => [name, asWritten(given.get(name) ?? '') || undefined]));
}

/** How many steps of the history lie between the dashboard and the job that is shown, as each was opened from the one before. @returns {number} */
export const stepsToJob = () => history.state?.jobs ?? 0;

/** Puts the filters into the address. A job that is opened is a step in the history, so that the Back button closes it; other filters are none. @param {Filters} filters */
export function writeAddress(filters) {
  const kept = new URLSearchParams(NAMES.flatMap((name) => (filters[name] ? [[name, filters[name]]] : [])));
  const address = kept.size > 0 ? `?${kept}` : location.pathname;
  if (filters.job && filters.job !== readAddress().job) history.pushState({ jobs: stepsToJob() + 1 }, '', address);
  else history.replaceState(history.state, '', address);
}

/** The days that a period may begin and end with. */
const FIRST_DAY = '1900-01-01';
const LAST_DAY = '2999-12-31';

/** Tells whether a text is a day of the calendar, written as a field of the form has it. @param {string} text */
function isDay(text) {
  const moment = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? text : Number.NaN);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text);
}

/** Tells whether a text can begin or end a period. @param {string | undefined} text @returns {text is string} */
const isInCalendar = (text) => text !== undefined && isDay(text) && text >= FIRST_DAY && text <= LAST_DAY;

/** Tells whether a period ends before it begins. @param {Filters} filters */
export const isTurned = ({ from, to }) => isInCalendar(from) && isInCalendar(to) && from > to;

/** @param {string} name @param {string} text @param {string} why */
const leftOut = (name, text, why) => `“${name}” is ${isolated(text)}, and is left out: ${why}`;

/** What the filters say that cannot be followed, in words. @param {Filters} filters @returns {string[]} */
const faultsOf = (filters) =>
  NAMES.flatMap((name) => {
    const text = filters[name];
    if (text === undefined || name === 'workspace') return [];
    if (name === 'laytime')
      return isLaytime(text)
        ? []
        : [leftOut(name, text, `it has to be a number of hours from ${LAYTIME.least} to ${LAYTIME.most}.`)];
    if (name !== 'from' && name !== 'to')
      return isId(text) ? [] : [leftOut(name, text, 'it is not an id. Choose another one.')];
    if (!isInCalendar(text))
      return [
        leftOut(
          name,
          text,
          `it has to be a day from ${FIRST_DAY} to ${LAST_DAY}, such as 2026-05-31. Choose another day.`,
        ),
      ];
    return name === 'to' && isTurned(filters)
      ? [`The period ends, on ${text}, before it begins. Choose other days.`]
      : [];
  });

/** The filters without ids that are none. @param {Filters} filters @returns {Filters} */
export const withIds = (filters) => ({
  ...filters,
  ...Object.fromEntries(IDS.map((name) => [name, isId(filters[name]) ? filters[name] : undefined])),
});

/** The period as GraphQL takes it; the last day is in it. @param {Filters} filters @returns {{ from?: string, to?: string }} */
export const periodOf = ({ from, to }) => ({
  ...(from && isInCalendar(from) && { from }),
  ...(to && isInCalendar(to) && { to: new Date(Date.parse(to) + 24 * 60 * 60_000).toISOString() }),
});

/** The filters in one of these workspaces, once they are known: the one that they name, also when it is none of these; otherwise the first. @param {readonly { id: string }[] | undefined} workspaces @param {Filters} filters @returns {Filters} */
export const inOneOf = (workspaces, filters) =>
  workspaces && !filters.workspace ? { ...filters, workspace: workspaces[0]?.id } : filters;

/** The filters for statistics, which end now unless they are told: a period that has not begun yet is its first day. @param {Filters} filters */
export function countedOf(filters) {
  const { from, to } = periodOf(filters);
  const period = from && !to && Date.parse(from) > Date.now() ? periodOf({ from, to: from }) : { from, to };
  const { vessel, product, port: location } = filters;
  return { ...period, vessel, product, location };
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

/** The filters as a `where` of quality results, by their jobs. @param {Filters} filters */
export function whereOfResults(filters) {
  const where = whereOf(filters);
  return Object.keys(where).length > 0 ? { job: where } : {};
}

/** Says at the end of a list that it is not all. @param {{ totalCount: number, listed: number } | undefined} list @param {string} which @param {string} others */
const restOf = (list, which, others) =>
  list &&
  list.totalCount > list.listed &&
  html`<option value="" disabled>The ${which} ${list.listed} of ${list.totalCount.toLocaleString('en')} are listed; ${others}.</option>`;

/** @param {{ id: string, name: string | null } | undefined} record */
const nameOf = (record) => (record ? (record.name ?? record.id) : 'Not in this workspace');
/** The name of the chosen record that is beyond a list, or what stands for it until that is known. */
const nameBeyond = (name, { chosen, pending }) => (chosen ? nameOf(chosen[name].nodes[0]) : pending);

/** The chosen records that are beyond the lists, by the names of their filters; undefined if there are none. @param {Filters} filters @param {Record<'vessels' | 'products' | 'ports', { nodes: readonly { id: string }[] }> | undefined} choices */
export function beyond({ vessel, product, port }, choices) {
  const others = (/** @type {string | undefined} */ id, /** @type {'vessels' | 'products' | 'ports'} */ list) =>
    choices?.[list].nodes.some((node) => node.id === id) ? undefined : id;
  const asked = {
    vessel: others(vessel, 'vessels'),
    product: others(product, 'products'),
    port: others(port, 'ports'),
  };
  return choices && Object.values(asked).some(Boolean) ? asked : undefined;
}

/** How much laytime is allowed. What is being typed stays as it is while the page is drawn anew. */
function Laytime({ hours, change }) {
  const [typed, setTyped] = useState(/** @type {string | undefined} */ (undefined));
  const allow = ({ target }) => {
    if (target.validity.badInput) target.reportValidity();
    else change({ laytime: target.value || undefined });
  };
  const left = ({ target }) => target.validity.badInput || setTyped(undefined);
  return html`<label>Laytime allowed, h
    <input type="number" name="laytime" min=${LAYTIME.least} max=${LAYTIME.most} step="any" value=${typed ?? hours} onInput=${({ target }) => setTyped(target.value)} onChange=${allow} onBlur=${left} /></label>`;
}

/** What is looked at, in words: what the bar of filters says, for paper; of one job only what concerns it. */
export function saidOf({ filters: all, workspaces, choices, chosen, pending }) {
  const filters = all.job ? { workspace: all.workspace, laytime: all.laytime } : all;
  const workspace = workspaces?.nodes.find(({ id }) => id === filters.workspace);
  const record = (name, list) => {
    const id = isId(filters[name]) && filters[name];
    const listed = list?.nodes.find((node) => node.id === id);
    return id && isolated(listed ? nameOf(listed) : nameBeyond(name, { chosen, pending }));
  };
  const day = (text) => isInCalendar(text) && text;
  return Object.entries({
    Workspace: isolated(workspace?.description ?? filters.workspace ?? ''),
    'ETA from': day(filters.from),
    'ETA to': day(filters.to),
    Vessel: record('vessel', choices?.vessels),
    Product: record('product', choices?.products),
    Place: record('port', choices?.ports),
    'Laytime allowed': `${allowedOf(filters)} h`,
  }).flatMap(([name, text]) => (text ? [`${name}: ${text}`] : []));
}

/** The bar of filters; `pending` stands for what is chosen until its name is known. */
export function Filters({ filters, workspaces, choices, chosen, pending, change }) {
  const isListed = workspaces?.nodes.some(({ id }) => id === filters.workspace);
  const select = (name, label, list, any) => {
    const id = isId(filters[name]) ? filters[name] : '';
    const isBeyond = id && list?.nodes.every((node) => node.id !== id);
    return html`<label>${label}
    <select name=${name} value=${id} onChange=${({ target }) => change({ [name]: target.value || undefined })}>
      <option value="">${any}</option>
      ${(isBeyond || (id && !list)) && html`<option value=${id} selected>${nameBeyond(name, { chosen, pending })}</option>`}
      ${list?.nodes.map((node) => html`<option value=${node.id} selected=${id === node.id}>${node.name ?? node.id}</option>`)}
      ${restOf(list, 'first', 'a link with its id chooses another')}
    </select></label>`;
  };
  const date = (name, label) => html`<label>${label}
    <input type="date" name=${name} min=${FIRST_DAY} max=${LAST_DAY} value=${isDay(filters[name] ?? '') ? filters[name] : ''} onChange=${({ target }) => change({ [name]: target.value || undefined })} /></label>`;
  const choose = ({ target }) => change({ workspace: target.value, ...OF_A_WORKSPACE });
  return html`<form class="filters" aria-label="Filters" onSubmit=${(event) => event.preventDefault()}>
    <label>Workspace <select name="workspace" value=${isListed ? filters.workspace : ''} onChange=${choose}>
      ${!isListed && html`<option value="" disabled selected>${workspaces ? 'Choose a workspace' : pending}</option>`}
      ${workspaces?.nodes.map(({ id, description }) => html`<option value=${id} selected=${filters.workspace === id}>${description ?? id}</option>`)}
      ${restOf(workspaces, 'newest', 'a link with its id opens another')}
    </select></label>
    ${date('from', 'ETA from')} ${date('to', 'to')}
    ${select('vessel', 'Vessel', choices?.vessels, 'All vessels')}
    ${select('product', 'Product', choices?.products, 'All products')}
    ${select('port', 'Place', choices?.ports, 'All places')}
    <${Laytime} hours=${Number.isNaN(Number(filters.laytime)) ? LAYTIME_HOURS : filters.laytime} change=${change} />
    ${faultsOf(filters).map((fault) => html`<p class="error" role="alert">${fault}</p>`)}
  </form>`;
}
