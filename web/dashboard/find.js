// A job by its reference number, or by a part of it.
import { ask } from './api.js';
import { html, useEffect, useRef, useState } from './preact.js';
import { day, isolated, labelOf, named, vesselsOf } from './views/show.js';

/** @import { Operations } from './operations.d.ts' */
/** @typedef {Operations['find']['data']['similar']} Similar */

/**
 * Opens the job that is meant; of several, it lists them. What is asked before there is a workspace is looked for once there is one;
 * `pending` says what that waits for.
 * @param {{ workspace: string | undefined, pending: string, openJob: (job: string) => void }} props
 */
export function Find({ workspace, pending, openJob }) {
  const [found, setFound] = useState(
    /** @type {{ awaited?: string, said?: string, jobs?: Similar, isFault?: boolean }} */ ({}),
  );
  const last = useRef(0);
  const find = async (/** @type {string} */ text) => {
    last.current += 1;
    const mine = last.current;
    const show = (next) => mine === last.current && setFound(next);
    if (!text) return show({});
    if (!workspace) return show({ awaited: text });
    show({ said: 'Searching…' });
    try {
      const { exact, similar } = await ask('find', { workspace, text });
      const only = [exact.nodes, similar.nodes].find(({ length }) => length === 1)?.[0]?.id;
      if (only && mine === last.current) openJob(only);
      show(only ? {} : { said: foundOf(similar, text), jobs: similar });
    } catch (error) {
      show({ said: isolated(/** @type {Error} */ (error).message), isFault: true });
    }
  };
  useEffect(() => {
    find(found.awaited ?? '');
  }, [workspace]);
  const submit = (event) => {
    event.preventDefault();
    find(event.target.elements.reference.value.trim());
  };
  return html`<form class="filters" role="search" aria-label="Jobs" onSubmit=${submit}>
    <label>Job <input type="search" name="reference" placeholder="Reference number" autocomplete="off" spellcheck="false" /></label>
    <button>Find</button>
    <output class=${found.isFault ? 'error' : ''}>${found.awaited ? pending : found.said}</output>
    ${found.jobs && html`<ul>${found.jobs.nodes.map((job) => html`<li key=${job.id}><button type="button" class="link" onClick=${() => openJob(job.id)}>${labelOf(job)}</button> ${aboutOf(job)}</li>`)}</ul>`}
  </form>`;
}

/** @param {Similar} similar @param {string} text */
const foundOf = ({ totalCount, nodes }, text) => {
  if (totalCount === 0) return `No job of this workspace has “${isolated(text)}” in its reference number.`;
  const all = totalCount.toLocaleString('en');
  return nodes.length < totalCount ? `The newest ${nodes.length} of ${all} jobs:` : `${all} jobs:`;
};

/** @param {Similar['nodes'][number]} job */
const aboutOf = (job) =>
  [vesselsOf(job), named(job.location), job.status, job.eta && `ETA ${day(job.eta)}`]
    .filter(Boolean)
    .map((part) => isolated(String(part)))
    .join(' · ');
