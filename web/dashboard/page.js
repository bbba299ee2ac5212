// The dashboard of a cargo owner: five questions about a workspace, each with a picture, kept up to date.
import { ask, follow } from './api.js';
import { onKey } from './credential.js';
import { Filters, periodOf, readAddress, whereOf, writeAddress } from './filters.js';
import { Job } from './job.js';
import { Panel } from './panel.js';
import { html, render, useCallback, useEffect, useMemo, useState } from './preact.js';
import { jobsView, qualityView, reconciliationView, timeView, vesselView } from './views.js';

const WEEKS = 8;
const WEEK_MS = 7 * 24 * 60 * 60_000;
const SETTLE_MS = 400;
const LIVE = {
  undefined: 'Connecting…',
  true: 'Live: changes appear by themselves.',
  false: 'Live updates are interrupted; the dashboard connects again.',
};

/** The last eight weeks, up to now, as nine moments. */
const lastWeeks = (now) =>
  Array.from({ length: WEEKS + 1 }, (_, index) => new Date(now - (WEEKS - index) * WEEK_MS).toISOString());

function Dashboard({ caller }) {
  const [filters, setFilters] = useState(readAddress);
  const [workspaces, setWorkspaces] = useState([]);
  const [choices, setChoices] = useState({ vessels: [], products: [], ports: [] });
  const [revision, setRevision] = useState(0);
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
      ({ vessels, products, ports }) =>
        setChoices({ vessels: vessels.nodes, products: products.nodes, ports: ports.nodes }),
      ({ message }) => setFault(message),
    );
  }, [workspace, caller]);
  useEffect(() => {
    if (!workspace) return undefined;
    let timer;
    const changed = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setRevision((before) => before + 1);
      }, SETTLE_MS);
    };
    const end = follow(workspace, changed, setLive);
    return () => {
      clearTimeout(timer);
      end();
    };
  }, [workspace, caller]);

  const weeks = useMemo(() => lastWeeks(Date.now()), [revision, workspace]);
  const where = whereOf(filters);
  const period = periodOf(filters);
  const vessel = filters.vessel || choices.vessels[0]?.id;
  const openJob = (job) => change({ job });
  const common = { revision: `${revision} ${caller}`, openJob };
  const scope = workspace && { workspace };
  return html`<main>
    <${Filters} filters=${filters} workspaces=${workspaces} choices=${choices} change=${change} />
    <p class="live" role="status" data-live=${String(isLive)}>${fault || LIVE[isLive]}</p>
    <div class="panels">
      <${Panel} id="jobs" operation="jobs" ...${common} variables=${scope && { ...scope, where, now: weeks.at(-1), ...Object.fromEntries(weeks.map((week, index) => [`week${index}`, week])) }} view=${(data) => jobsView(data, weeks)} />
      <${Panel} id="reconciliation" operation="reconciliation" ...${common} variables=${scope && { ...scope, where, ...period }} view=${reconciliationView} />
      <${Panel} id="time" operation="time" ...${common} variables=${scope && { ...scope, where }} view=${timeView} />
      <${Panel} id="quality" operation="quality" ...${common} variables=${scope && { ...scope, ...period }} view=${qualityView} />
      <${Panel} id="vessel" operation="vessel" ...${common} variables=${scope && vessel && { ...scope, vessel }} view=${vesselView} />
    </div>
    ${filters.job && html`<${Job} key=${filters.job} id=${filters.job} revision=${revision} close=${() => change({ job: undefined })} />`}
  </main>`;
}

let caller = 0;
onKey(() => {
  caller += 1;
  render(html`<${Dashboard} caller=${caller} />`, document.getElementById('dashboard'));
});
