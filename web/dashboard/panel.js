// One question of the dashboard: a title that is its finding, pictures, and the same figures as tables.
import { UNSHOWABLE, useAnswer } from './answer.js';
import { address, textOf } from './api.js';
import { Chart } from './chart.js';
import { FileButton } from './file-button.js';
import { html, useEffect, useErrorBoundary, useRef, useState } from './preact.js';
import { isolated, plain, readable, shortened, utc } from './views/show.js';

/** @import { Cell, Picture, Table, Time, View } from './views/show.js' */

/**
 * A panel asks when it is first seen, or, as `isNext`, after others that are seen: paper has all of them. It asks again when its
 * variables or `revision` change. `instead` is what it shows where there is nothing to ask; until that is known, it waits. What
 * cannot be drawn is an error of this panel alone.
 * @param {{ id: string, name: string, asks: ReturnType<typeof import('./answer.js').question<any, View>>, revision: string, openJob?: (job: string) => void, instead?: Instead | undefined, isNext?: boolean, settled?: () => void }} props
 */
export function Panel({ id, name, asks, revision, openJob, instead, isNext = false, settled }) {
  const place = useRef(/** @type {HTMLElement} */ (/** @type {unknown} */ (null)));
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setSeen(true), {
      rootMargin: '200px',
    });
    observer.observe(place.current);
    return () => observer.disconnect();
  }, []);
  const answered = useAnswer({ ...asks, variables: (seen || isNext) && asks.variables }, revision);
  const { answer, again } = answered;
  useEffect(() => {
    if (answer || answered.error) settled?.();
  }, [answer, answered.error]);
  const undrawn = useRef(/** @type {typeof answer} */ (undefined));
  useErrorBoundary((error) => {
    undrawn.current = answer;
    reportError(error);
  });
  const isUndrawn = answer && answer === undrawn.current;
  const { error } = instead ?? { error: answered.error ?? (isUndrawn && UNSHOWABLE) };
  const busy = !instead && answered.busy;
  const shown = instead?.shown ?? (isUndrawn ? undefined : answer?.shown);
  return html`<section class="panel" id=${id} ref=${place} aria-busy=${String(Boolean(busy))} aria-labelledby=${`${id}-title`}>
    <h2 id=${`${id}-title`}>${shown?.title ?? `${name}: ${error ? 'not available' : 'loading…'}`}</h2>
    ${error && html`<p class="error" role="alert">${isolated(error)} <button type="button" onClick=${instead?.again ?? again}>Try again</button></p>`}
    ${shown?.empty && html`<p class="empty">${shown.empty}</p>`}
    ${shown?.pictures?.map((picture, index) => html`<${Drawn} key=${picture.caption ?? index} picture=${picture} openJob=${openJob} />`)}
    ${shown?.note && html`<p class="note">${[shown.note].flat().map(shownText)}</p>`}
    ${shown?.tables?.some(({ rows }) => rows.length > 0) && html`<${Figures} tables=${shown.tables} openJob=${openJob} />`}
    ${answer && html`<p class="more"><a href=${graphiqlOf(asks.operation, answer.variables)} target="_blank" rel="opener">Open in GraphiQL</a></p>`}
  </section>`;
}
/** @typedef {{ shown?: View, error?: string, again?: () => void }} Instead */

/** @param {{ picture: Picture, openJob: (job: string) => void }} props */
function Drawn({ picture: { caption, keys, option, height, text }, openJob }) {
  return html`<figure>
    ${caption && html`<figcaption>${caption}</figcaption>`}
    <${Chart} option=${option} height=${height} label=${text} pick=${({ job }) => job && openJob?.(job)} />
    ${keys && html`<ul class="keys">${keys.map(({ name, color }) => html`<li key=${name}><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="2" fill=${color} /></svg>${shortened(name)}</li>`)}</ul>`}
  </figure>`;
}

/** Without it, Excel on Windows reads a CSV file in the code page of the system, and shows °C as Â°C. */
const BYTE_ORDER_MARK = '\uFEFF';

/** The figures of the pictures as tables, each also as CSV. @param {{ tables: Table[], openJob?: (job: string) => void }} props */
function Figures({ tables, openJob }) {
  return html`<details>
    <summary>Figures</summary>
    ${tables
      .filter(({ rows }) => rows.length > 0)
      .map(
        ({
          name,
          caption,
          columns,
          rows,
        }) => html`<div class="scroll" key=${name} tabindex="0" role="region" aria-label=${caption}><table id=${`table-${name}`}>
      <caption>${caption}</caption>
      <thead><tr>${columns.map((column, index) => html`<th scope="col" class=${isOfNumbers(rows, index) ? 'number' : ''}>${column}</th>`)}</tr></thead>
      <tbody>${rows.map(({ job, cells }) => html`<tr>${cells.map((cell, index) => html`<td class=${classOf(cell)}>${index === 0 && job && openJob ? html`<button type="button" class="link" onClick=${() => openJob(job)}>${shownCell(cell)}</button>` : shownCell(cell)}</td>`)}</tr>`)}</tbody>
    </table></div>
    <p><a href=${`data:text/csv;charset=utf-8,${encodeURIComponent(BYTE_ORDER_MARK + csvOf(columns, rows))}`} download=${`${name}.csv`}>Download “${caption}” as CSV</a></p>`,
      )}
  </details>`;
}

/** @param {Table['rows']} rows @param {number} index */
const isOfNumbers = (rows, index) => rows.some(({ cells }) => typeof cells[index] === 'number');

/** A longer text takes several lines. */
const LONGEST_LINE = 80;

/** @param {Cell} cell */
const classOf = (cell) =>
  typeof cell === 'number' ? 'number' : typeof cell === 'string' && cell.length > LONGEST_LINE ? 'long' : '';

/** @param {Cell} cell */
const shownCell = (cell) =>
  cell === null || cell === undefined || cell === ''
    ? '–'
    : typeof cell === 'number'
      ? shownNumber(cell)
      : typeof cell === 'object' && 'file' in cell
        ? html`<${FileButton} of=${cell} />`
        : shownText(cell);

/** Smaller numbers than this have as many digits, wherever these begin. */
const SMALL = 0.001;

/** @param {number} number */
const shownNumber = (number) =>
  number.toLocaleString(
    'en',
    Math.abs(number) < SMALL ? { maximumSignificantDigits: 6 } : { maximumFractionDigits: 6 },
  );

/** @param {string | Time} part */
const shownText = (part) =>
  typeof part === 'string' ? part : html`<time datetime=${utc(part)}>${readable(part)}</time>`;

/** What a spreadsheet would take for a formula, as its first sign says, also in full width. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;
const NUMBER = /^[-+]?\d+(?:[.,]\d+)?$/;

/** RFC 4180; a text that a spreadsheet would take for a formula gets an apostrophe in front. @param {string[]} columns @param {{ cells: Cell[] }[]} rows */
export function csvOf(columns, rows) {
  const field = (/** @type {Cell} */ value) => {
    const text = typeof value === 'object' && value ? ('file' in value ? value.name : utc(value)) : String(value ?? '');
    const isFormula = typeof value !== 'number' && FORMULA.test(text) && !NUMBER.test(text);
    const safe = isFormula ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [columns.map(plain), ...rows.map(({ cells }) => cells)].map((line) => line.map(field).join(',')).join('\r\n');
}

/** GraphiQL with the very query, and what it was asked with; with the key of this tab, too, which a page gets from its opener. */
const graphiqlOf = (operation, variables) =>
  `${address}?${new URLSearchParams({ query: textOf(operation), variables: JSON.stringify(variables, null, 2) })}`;
