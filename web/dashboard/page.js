// The dashboard of a cargo owner: questions about a workspace, each with pictures, kept up to date.
import { ask, follow } from './api.js';
import { onKey } from './credential.js';
import { allowedOf, countedPeriodOf, Filters, periodOf, readAddress, whereOf, writeAddress } from './filters.js';
import { Job } from './job.js';
import { Panel, question } from './panel.js';
import { html, render, useCallback, useEffect, useMemo, useState } from './preact.js';
import { auditView } from './views/audit.js';
import { jobsView } from './views/jobs.js';
import { qualityView } from './views/quality.js';
import { reconciliationView } from './views/reconciliation.js';
import { timeView } from './views/time.js';
import { vesselView } from './views/vessel.js';
import { voyagesView } from './views/voyages.js';

const WEEKS = 8;
const WEEK_MS = 7 * 24 * 60 * 60_000;
const SETTLE_MS = 400;
const LIVE = {
  undefined: 'Connecting…',
  true: 'Live: changes appear by themselves.',
  false: 'Live updates are interrupted; the dashboard connects again.',
};

/** @typedef {{ id: string, name: string | null }[]} Choice */
/** @type {{ vessels: Choice, products: Choice, ports: Choice, usual?: string | undefined }} */
const NO_CHOICES = { vessels: [], products: [], ports: [] };
/** @param {string[]} ids */
const mostFrequent = (ids) =>
  [...Map.groupBy(ids, (id) => id).values()].toSorted((a, b) => b.length - a.length)[0]?.[0];

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

/** The last eight weeks up to a moment, as nine moments. @param {number} end @returns {string[]} */
const lastWeeks = (end) =>
  Array.from({ length: WEEKS + 1 }, (_, index) => new Date(end - (WEEKS - index) * WEEK_MS).toISOString());

function Dashboard({ caller }) {
  const [filters, setFilters] = useState(readAddress);
  const [workspaces, setWorkspaces] = useState(/** @type {{ id: string, description: string | null }[]} */ ([]));
  const [choices, setChoices] = useState(NO_CHOICES);
  const [revisions, setRevisions] = useState(/** @type {Record<string, number>} */ ({}));
  const [isLive, setLive] = useState(undefined);
  const [fault, setFault] = useState('');
  const change = useCallback((changed) => setFilters((before) => ({ ...before, ...changed })), []);
  const { workspace } = filters;

  useEffect(() => writeAddress(filters), [filters]);
  useEffect(() => {
    ask('workspaces', {}).then(
      ({ workspaces: { nodes } }) => {
        setFault(nodes.length === 0 ? 'You are a party of no workspace yet. Open one, or use another key.' : '');
        setWorkspaces(nodes);
        setFilters((before) =>
          nodes.some(({ id }) => id === before.workspace) ? before : { ...before, workspace: nodes[0]?.id },
        );
      },
      ({ message }) => setFault(message),
    );
  }, [caller]);
  useEffect(() => {
    if (!workspace) return;
    ask('choices', { workspace }).then(
      ({ vessels, products, ports, newest }) =>
        setChoices({
          vessels: vessels.nodes,
          products: products.nodes,
          ports: ports.nodes,
          usual: mostFrequent(newest.nodes.flatMap(({ transports }) => transports.map(({ id }) => id))),
        }),
      ({ message }) => setFault(message),
    );
  }, [workspace, caller]);
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
  }, [workspace, caller]);

  const { to: until } = periodOf(filters);
  const period = countedPeriodOf(filters);
  const weeks = useMemo(
    () => lastWeeks(Math.min(Date.now(), Date.parse(until ?? '') || Number.POSITIVE_INFINITY)),
    [revisions, workspace, until],
  );
  const where = whereOf(filters);
  const byEta = where.eta && { order: [{ field: 'eta' }] };
  const allowedHours = allowedOf(filters);
  const vessel = filters.vessel || choices.usual || choices.vessels[0]?.id;
  const openJob = (job) => change({ job });
  const of = (id) => ({
    id,
    openJob,
    name: ABOUT[id].name,
    revision: `${caller} ${['all', ...ABOUT[id].concerns].map((type) => revisions[type] ?? 0)}`,
  });
  const [week0, week1, week2, week3, week4, week5, week6, week7, week8] = /** @type {Nine} */ (weeks);
  const moments = { now: week8, week0, week1, week2, week3, week4, week5, week6, week7, week8 };
  const asks = {
    jobs: question('jobs', workspace && { workspace, where, ...moments, ...byEta }, (data) => jobsView(data, weeks)),
    reconciliation: question('reconciliation', workspace && { workspace, where, ...period }, reconciliationView),
    voyages: question('voyages', workspace && { workspace, where }, voyagesView),
    time: question('time', workspace && { workspace, where, allowedHours }, (data) => timeView(data, allowedHours)),
    quality: question('quality', workspace && { workspace, where, ...period }, qualityView),
    vessel: question('vessel', workspace && vessel && { workspace, vessel }, vesselView),
    audit: question('audit', workspace && { workspace, where }, auditView),
  };
  return html`<main>
    <${Filters} filters=${filters} workspaces=${workspaces} choices=${choices} change=${change} />
    <p class="live" role="status" data-live=${String(isLive)}>${fault || LIVE[String(isLive)]}</p>
    <div class="panels">
      ${PANELS.map((id) => html`<${Panel} key=${id} ...${of(id)} asks=${asks[id]} />`)}
    </div>
    ${filters.job && html`<${Job} key=${filters.job} id=${filters.job} revision=${JSON.stringify(revisions)} allowedHours=${allowedHours} openJob=${openJob} close=${() => change({ job: undefined })} />`}
  </main>`;
}
/** @typedef {[string, string, string, string, string, string, string, string, string]} Nine */

let caller = 0;
onKey(() => {
  caller += 1;
  render(html`<${Dashboard} caller=${caller} />`, document.getElementById('dashboard'));
});
