// The first line on paper: of what it is, and from when.
import { html, useEffect, useRef } from './preact.js';
import { readable } from './views/show.js';

/** @param {{ said: string[] }} props */
export function Paper({ said }) {
  const place = useRef(/** @type {HTMLTimeElement} */ (/** @type {unknown} */ (null)));
  useEffect(() => {
    /** Preact would draw it after the browser has printed. */
    const print = () => {
      place.current.textContent = readable({ time: new Date().toISOString() });
    };
    addEventListener('beforeprint', print);
    return () => removeEventListener('beforeprint', print);
  }, []);
  return html`<p class="paper">${said.join(' · ')} · Printed: <time ref=${place}></time></p>`;
}
