// A file of a job, saved with the key of the bar, which a link cannot send.
import { fetchFile } from './api.js';
import { html, useRef, useState } from './preact.js';
import { isolated } from './views/show.js';

/** @import { File } from './views/show.js' */

/** How long a browser may take to begin saving, in milliseconds. */
const SAVE_MS = 60_000;

/** A button that saves the file under its own name, and says what is wrong if it cannot. @param {{ of: File }} props */
export function FileButton({ of: { name, file } }) {
  const [fault, setFault] = useState('');
  const [busy, setBusy] = useState(false);
  const isAsked = useRef(false); // a second click is no second download
  const save = async () => {
    if (isAsked.current) return;
    isAsked.current = true;
    setBusy(true);
    setFault('');
    try {
      offer(name, await fetchFile(file));
    } catch (error) {
      setFault(/** @type {Error} */ (error).message);
    }
    isAsked.current = false;
    setBusy(false);
  };
  return html`<button type="button" class="link" aria-busy=${String(busy)} onClick=${save}>${name}</button>${busy && ' is being downloaded…'}${fault && html` <span class="error" role="alert">${isolated(fault)}</span>`}`;
}

/** @param {string} name @param {Blob} contents */
function offer(name, contents) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(contents);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), SAVE_MS);
}
