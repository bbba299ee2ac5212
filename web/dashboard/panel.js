// One question of the dashboard: a title that is its finding, a picture, and the same figures as a table.
import { ask, textOf } from './api.js';
import { Chart } from './chart.js';
import { html, useEffect, useRef, useState } from './preact.js';

/**
 * A panel asks when it is first seen, and again when its variables or `revision` change. `view` makes of the data
 * `{ title, option, columns, rows, empty }`; what a row has as `job` is opened by its first cell.
 */
export function Panel({ id, operation, variables, revision, view, openJob, children }) {
  const place = useRef(null);
  const [seen, setSeen] = useState(false);
  const [state, setState] = useState({ busy: true });
  const asked = JSON.stringify(variables);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry.isIntersecting && setSeen(true), {
      rootMargin: '200px',
    });
    observer.observe(place.current);
    const all = () => setSeen(true);
    addEventListener('beforeprint', all);
    return () => {
      observer.disconnect();
      removeEventListener('beforeprint', all);
    };
  }, []);
  useEffect(() => {
    if (!seen || !variables) return undefined;
    const abort = new AbortController();
    setState((before) => ({ ...before, busy: true }));
    ask(operation, variables, abort.signal).then(
      (data) => setState({ data }),
      (error) => error.name !== 'AbortError' && setState({ error: error.message }),
    );
    return () => abort.abort();
  }, [seen, asked, revision, operation]);
  const shown = state.data && view(state.data);
  return html`<section class="panel" id=${id} ref=${place} aria-busy=${String(Boolean(state.busy))} aria-labelledby=${`${id}-title`}>
    <h2 id=${`${id}-title`}>${shown?.title ?? (state.error ? 'No answer' : 'Loading…')}</h2>
    ${children}
    ${state.error && html`<p class="error" role="alert">${state.error}</p>`}
    ${shown?.empty && html`<p class="empty">${shown.empty}</p>`}
    ${shown?.option && html`<${Chart} option=${shown.option} height=${shown.height} label=${shown.title} pick=${openJob} />`}
    ${shown?.note && html`<p class="note">${shown.note}</p>`}
    ${shown?.rows?.length > 0 && html`<${Figures} name=${id} columns=${shown.columns} rows=${shown.rows} openJob=${openJob} />`}
    ${shown && html`<p class="more"><a href=${`graphql?query=${encodeURIComponent(withVariables(textOf(operation), variables))}`} target="_blank" rel="noopener">Open in GraphiQL</a></p>`}
  </section>`;
}

/** The figures of a picture as a table, and as CSV. */
function Figures({ name, columns, rows, openJob }) {
  const csv = `data:text/csv;charset=utf-8,${encodeURIComponent(csvOf(columns, rows))}`;
  return html`<details>
    <summary>Figures</summary>
    <div class="scroll"><table>
      <thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
      <tbody>${rows.map(({ job, cells }) => html`<tr>${cells.map((cell, index) => html`<td>${index === 0 && job ? html`<button type="button" class="link" onClick=${() => openJob(job)}>${shownCell(cell)}</button>` : shownCell(cell)}</td>`)}</tr>`)}</tbody>
    </table></div>
    <p><a href=${csv} download=${`${name}.csv`}>Download as CSV</a></p>
  </details>`;
}

const shownCell = (cell) =>
  cell === null || cell === undefined ? '–' : typeof cell === 'number' ? cell.toLocaleString('en') : cell;

/** RFC 4180; a text that a spreadsheet would take for a formula gets an apostrophe in front. */
export function csvOf(columns, rows) {
  const field = (value) => {
    const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value ?? '');
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows.map(({ cells }) => cells)].map((line) => line.map(field).join(',')).join('\r\n');
}

/** GraphiQL's address takes a query alone: what the panel asked with stands above it. */
const withVariables = (text, variables) => `# Variables: ${JSON.stringify(variables)}\n${text}`;
