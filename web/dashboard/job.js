// One job: its timeline, results, files and versions.
import { question } from './answer.js';
import { Panel } from './panel.js';
import { html, useEffect, useRef } from './preact.js';
import { detailsView } from './views/details.js';
import { timelineView } from './views/timeline.js';

/** A dialog over the dashboard; it closes with Escape. */
export function Job({ id, revision, allowedHours, openJob, close, children }) {
  const place = useRef(/** @type {HTMLDialogElement} */ (/** @type {unknown} */ (null)));
  useEffect(() => {
    place.current.showModal();
  }, []);
  const timeline = question('timeline', { job: id, allowedHours }, (data) => timelineView(data, allowedHours));
  return html`<dialog class="job" ref=${place} onClose=${close} aria-label="Job">
    <form method="dialog"><button>Close</button></form>
    ${children}
    <${Panel} id="details" name="Job" asks=${question('job', { job: id }, detailsView)} revision=${revision} openJob=${openJob} />
    <${Panel} id="timeline" name="Timeline" asks=${timeline} revision=${revision} />
  </dialog>`;
}
