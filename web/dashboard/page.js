// The dashboard of a cargo owner: questions about a workspace, each with pictures, kept up to date.
import { question, useAnswer } from './answer.js';
import { offerSignIn, onKey } from './credential.js';
import {
  allowedOf,
  beyond,
  countedOf,
  Filters,
  inOneOf,
  isId,
  isTurned,
  periodOf,
  readAddress,
  saidOf,
  stepsToJob,
  whereOf,
  whereOfResults,
  withIds,
  writeAddress,
} from './filters.js';
import { Find } from './find.js';
import { Job } from './job.js';
import { follow } from './live.js';
import { Panel } from './panel.js';
import { Paper } from './paper.js';
import { html, render, useEffect, useMemo, useRef, useState } from './preact.js';
import { auditView } from './views/audit.js';
import { jobsView } from './views/jobs.js';
import { qualityView } from './views/quality.js';
import { reconciliationView } from './views/reconciliation.js';
import { isolated } from './views/show.js';
import { timeView } from './views/time.js';
import { vesselView } from './views/vessel.js';
import { voyagesView } from './views/voyages.js';

/** @import { Filters as Chosen } from './filters.js' */
/** @import { Live } from './live.js' */
/** @import { Operations } from './operations.d.ts' */

const WEEKS = 8;
const WEEK_MS = 7 * 24 * 60 * 60_000;
const SETTLE_MS = 400;
const LIVE = {
  undefined: 'Connecting…',
  true: 'Live: changes appear automatically.',
  false: 'Live updates are interrupted; the dashboard is reconnecting.',
  asking: 'Other tabs are using this browser’s live updates: changes appear within ten seconds.',
  ended: 'The session has ended: what is shown is no longer kept up to date. Sign in again, or enter an API key above.',
  refused:
    'The service refuses this API key now: what is shown is no longer kept up to date. Enter another key, or sign in.',
};

/** @param {string[]} ids */
const mostFrequent = (ids) =>
  [...Map.groupBy(ids, (id) => id).values()].toSorted((a, b) => b.length - a.length)[0]?.[0];

/** @template {{ readonly totalCount: number, readonly nodes: readonly object[] }} List @param {List} list */
const listOf = (list) => ({ ...list, listed: list.nodes.length });

/** What the jobs of a workspace can be filtered by, and the vessel that is looked at unless another is chosen. @param {Operations['choices']['data']} data */
const choicesOf = ({ vessels, products, ports, newest }) => ({
  vessels: listOf(vessels),
  products: listOf(products),
  ports: listOf(ports),
  usual: mostFrequent(newest.nodes.flatMap(({ transports }) => transports.map(({ id }) => id))) ?? vessels.nodes[0]?.id,
});
/** The workspaces to choose from: the newest, and the one that a link names, which may be older. @param {Operations['workspaces']['data']} data */
const workspacesOf = ({ workspaces: { totalCount, nodes }, linked }) => ({
  totalCount,
  listed: nodes.length,
  nodes: [...nodes, ...linked.nodes.filter(({ id }) => nodes.every((node) => node.id !== id))],
});
const NO_WORKSPACE = 'You are not a party to any workspace yet. Open one, or use another key.';
/** What is wrong with a workspace that is none of the caller's. @param {string | undefined} id */
const unknownWorkspace = (id) =>
  id && !isId(id)
    ? `“workspace” is ${isolated(id)}, which is not an id. Choose a workspace.`
    : `There is no workspace ${isolated(id ?? '')}, or you are not a party to it. Choose another one, or use another key.`;
const NO_PERIOD = 'The period ends before it begins. Choose other days in the filters.';
const NO_VESSEL = 'The workspace knows no vessel yet. The first job that names one adds it.';

/** The panels, in the order of the page. */
const PANELS = document.body.dataset.panels?.split(' ') ?? [];

/** What each panel is called while it waits, and the documents that concern it, by the last part of their type: a change of others leaves it alone. */
const ABOUT = {
  jobs: { name: 'Jobs', concerns: ['job'] },
  reconciliation: { name: 'Reconciliation', concerns: ['job', 'quantityResult', 'loadPortInformation'] },
  voyages: { name: 'Voyages', concerns: ['job', 'quantityResult', 'loadPortInformation'] },
  time: { name: 'Time at port', concerns: ['job', 'timelog'] },
  quality: { name: 'Quality', concerns: ['job', 'qualityResult', 'specification'] },
  vessel: { name: 'Vessel factors', concerns: ['job', 'quantityResult'] },
  audit: { name: 'Figure audit', concerns: ['job', 'quantityResult', 'qualityResult', 'timelog', 'specification'] },
};

/** The eight weeks up to a moment, as nine moments. @param {number} end @returns {string[]} */
const lastWeeks = (end) =>
  Array.from({ length: WEEKS + 1 }, (_, index) => new Date(end - (WEEKS - index) * WEEK_MS).toISOString());

function Dashboard() {
  const [given, setFilters] = useState(readAddress);
  const [linked] = useState(() => isId(given.workspace) && given.workspace);
  const [revisions, setRevisions] = useState(/** @type {Record<string, number>} */ ({}));
  const [isLive, setLive] = useState(/** @type {Live} */ (undefined));
  const [isSettled, setSettled] = useState(false);
  const isOver = isLive === 'ended' || isLive === 'refused';
  const revisionOf = (...types) => types.map((type) => revisions[type] ?? 0).join(' ');

  const found = useAnswer(question('workspaces', linked ? { linked } : {}, workspacesOf), '');
  const workspaces = found.answer?.shown;
  const shown = inOneOf(workspaces?.nodes, given);
  const filters = withIds(shown);
  const change = (/** @type {Chosen} */ changed) =>
    setFilters((before) => ({ ...inOneOf(workspaces?.nodes, before), ...changed }));
  const workspace = workspaces?.nodes.find(({ id }) => id === filters.workspace)?.id;
  const noWorkspace =
    workspaces && !workspace
      ? workspaces.nodes.length > 0
        ? unknownWorkspace(filters.workspace)
        : NO_WORKSPACE
      : undefined;
  const known = useAnswer(question('choices', workspace && { workspace }, choicesOf), revisionOf('all', 'job'));
  const choices = known.answer?.variables.workspace === workspace ? known.answer?.shown : undefined;
  const others = beyond(filters, choices);
  const named = useAnswer(
    question('chosen', workspace && others && { workspace, ...others }, (data) => data),
    '',
  );
  const chosen =
    JSON.stringify(named.answer?.variables) === JSON.stringify({ workspace, ...others })
      ? named.answer?.shown
      : undefined;
  useEffect(() => writeAddress(shown), [JSON.stringify(shown)]);
  useEffect(() => {
    if (!workspace) return undefined;
    let timer;
    const concerned = new Set();
    const changed = (event) => {
      concerned.add(event ? event.type.split('.').at(-1) : 'all');
      timer ??= setTimeout(() => {
        timer = undefined;
        setRevisions((before) => ({
          ...before,
          ...Object.fromEntries([...concerned].map((type) => [type, (before[type] ?? 0) + 1])),
        }));
        concerned.clear();
      }, SETTLE_MS);
    };
    const end = follow(workspace, changed, setLive);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [workspace]);

  const { to: until } = periodOf(filters);
  const counted = isTurned(filters) ? undefined : countedOf(filters);
  const now = useMemo(() => Date.now(), [revisions, workspace, until]);
  const weeks = useMemo(() => lastWeeks(Math.min(now, Date.parse(until ?? '') || now)), [now]);
  const where = whereOf(filters);
  const byEta = where.eta && { order: [{ field: 'eta' }] };
  const allowedHours = allowedOf(filters);
  const vessel = filters.vessel || choices?.usual;
  /** Where the focus goes after the last of the jobs that were opened from each other. */
  const opener = useRef(/** @type {Element | null} */ (null));
  const openJob = (job) => {
    if (!filters.job) opener.current = document.activeElement;
    change({ job });
  };
  useEffect(() => {
    const isNowhere = !filters.job && document.activeElement === document.body;
    if (isNowhere && opener.current instanceof HTMLElement) opener.current.focus();
  }, [filters.job]);
  const isClosing = useRef(false);
  const closeJob = () => {
    isClosing.current = stepsToJob() > 0;
    if (isClosing.current) history.go(-stepsToJob());
    else change({ job: undefined });
  };
  useEffect(() => {
    const moved = () => {
      const { job, ...others } = readAddress();
      setFilters(isClosing.current ? others : { ...others, job });
      isClosing.current = false;
    };
    addEventListener('popstate', moved);
    return () => removeEventListener('popstate', moved);
  }, []);
  /** Why a panel has nothing to ask. @returns {import('./panel.js').Instead | undefined} */
  const insteadOf = (id) => {
    if (found.error) return { error: found.error, again: found.again };
    if (noWorkspace) return { shown: { title: `${ABOUT[id].name}: no workspace`, empty: noWorkspace } };
    if (!workspaces) return undefined;
    if (id !== 'vessel')
      return counted ? undefined : { shown: { title: `${ABOUT[id].name}: no period`, empty: NO_PERIOD } };
    if (vessel) return undefined;
    if (known.error) return { error: known.error, again: known.again };
    return choices && { shown: { title: 'No vessels', empty: NO_VESSEL } };
  };
  const of = (id) => ({
    id,
    openJob,
    name: ABOUT[id].name,
    revision: revisionOf('all', ...ABOUT[id].concerns),
    instead: insteadOf(id),
    isNext: isSettled,
    settled: () => setSettled(true),
  });
  const [week0, week1, week2, week3, week4, week5, week6, week7, week8] = /** @type {Nine} */ (weeks);
  const moments = { now: new Date(now).toISOString(), week0, week1, week2, week3, week4, week5, week6, week7, week8 };
  const asked = counted && workspace;
  const isOfRecords = Boolean(filters.vessel || filters.product || filters.port);
  const asks = {
    jobs: question(
      'jobs',
      asked && { workspace: asked, where, ...moments, ...byEta },
      (data) => jobsView(data, weeks),
      { asked, where },
    ),
    reconciliation: question('reconciliation', asked && { workspace: asked, where, ...counted }, (data) =>
      reconciliationView(data, isOfRecords),
    ),
    voyages: question('voyages', asked && { workspace: asked, where }, voyagesView),
    time: question('time', asked && { workspace: asked, where, allowedHours }, (data) => timeView(data, allowedHours)),
    quality: question(
      'quality',
      asked && { workspace: asked, where, results: whereOfResults(filters), ...counted },
      (data) => qualityView(data, isOfRecords),
    ),
    vessel: question('vessel', workspace && vessel && { workspace, vessel }, vesselView),
    audit: question('audit', asked && { workspace: asked, where }, auditView),
  };
  const fault = found.error ?? known.error;
  const pending = noWorkspace ? 'No workspace' : (fault ?? named.error) ? 'Not available' : 'Loading…';
  const said = noWorkspace || (!isOver && fault && isolated(fault)) || LIVE[String(isLive)];
  const bar = { filters: shown, workspaces, choices, chosen, pending };
  const paper = html`<${Paper} said=${saidOf(bar)} />`;
  return html`<main>
    ${!filters.job && paper}
    <${Filters} ...${bar} change=${change} />
    <${Find} workspace=${workspace} pending=${pending} openJob=${openJob} />
    <p class="live" role="status" data-live=${String(isLive)}>${said}${isOver && html` <button type="button" onClick=${offerSignIn}>Sign in…</button>`}</p>
    <div class="panels">
      ${PANELS.map((id) => html`<${Panel} key=${id} ...${of(id)} asks=${asks[id]} />`)}
    </div>
    ${filters.job && html`<${Job} key=${filters.job} id=${filters.job} revision=${JSON.stringify(revisions)} allowedHours=${allowedHours} openJob=${openJob} close=${closeJob}>${paper}</${Job}>`}
  </main>`;
}
/** @typedef {[string, string, string, string, string, string, string, string, string]} Nine */

/** Each caller has a dashboard of its own: nothing of what another one was shown is left. */
let caller = 0;
onKey(() => {
  caller += 1;
  render(html`<${Dashboard} key=${caller} />`, document.getElementById('dashboard'));
});
