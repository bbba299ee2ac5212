// The answer to a question: asked for, kept while it is asked for again, and shown as what was asked.
import { ask } from './api.js';
import { useEffect, useRef, useState } from './preact.js';
import { onRoom } from './views/show.js';

/** @import { Operations } from './operations.d.ts' */

/** When a question is asked again whose answer is not there yet, such as statistics that are being counted for the first time. */
const RETRY_MS = 3_000;
const NOTHING_YET = { busy: true };
/** What is said of an answer that the page makes nothing of. */
export const UNSHOWABLE = 'The response cannot be shown. Choose other filters.';

/**
 * What is asked and how the answer is shown; the compiler holds all three together. Without variables it waits. `about` is what they
 * say of the question itself, without the moment at which it is asked.
 * @template {keyof Operations} Name
 * @template Shown
 * @param {Name} operation
 * @param {Operations[Name]['variables'] | undefined | '' | null} variables
 * @param {(data: Operations[Name]['data']) => Shown} view
 * @param {object | undefined | '' | null} [about]
 */
export const question = (operation, variables, view, about = variables) => ({ operation, variables, view, about });

/**
 * Asks when there are variables, and again when they or `revision` change; a change while it waits for an answer is asked for
 * after that answer, so that a busy workspace does not keep it from ever getting one. Without variables there is no answer. While
 * the service cannot answer, the last answer to the same question stays. It is drawn anew when pictures have another room.
 * @template {keyof Operations} Name
 * @template Shown
 * @param {ReturnType<typeof question<Name, Shown>>} asks
 * @param {string} revision
 */
export function useAnswer({ operation, variables, view, about }, revision) {
  const [round, setRound] = useState(0);
  const [state, setState] = useState(
    /** @type {{ busy?: boolean, answer?: { variables: Operations[Name]['variables'], about: string, draw: () => Shown, shown: Shown }, error?: string }} */ (
      NOTHING_YET
    ),
  );
  const asked = JSON.stringify(variables || null);
  const waiting = useRef({ asked: '', again: false });
  const aborting = useRef(new AbortController());
  useEffect(() => () => aborting.current.abort(), []);
  useEffect(
    () =>
      onRoom(() =>
        setState(({ answer, ...others }) => ({
          ...others,
          ...(answer && { answer: { ...answer, shown: answer.draw() } }),
        })),
      ),
    [],
  );
  useEffect(() => {
    const now = waiting.current;
    if (variables && now.asked === asked) {
      now.again = true;
      return;
    }
    aborting.current.abort();
    const aborter = new AbortController();
    const mine = { asked: variables ? asked : '', again: false };
    const askedAbout = JSON.stringify(about);
    aborting.current = aborter;
    waiting.current = mine;
    const { signal } = aborter;
    setState((before) => (variables ? { ...before, busy: true } : NOTHING_YET));
    if (!variables) return;
    const settled = (next) => {
      if (signal.aborted) return;
      mine.asked = '';
      setState(next);
      if (mine.again) setRound((before) => before + 1);
    };
    const shownAs = (data) => {
      try {
        const draw = () => view(data);
        return { answer: { variables, about: askedAbout, draw, shown: draw() } }; // it is shown as what was asked then, while another one is awaited
      } catch (error) {
        reportError(error);
        return { error: UNSHOWABLE };
      }
    };
    ask(operation, variables, signal).then(
      (data) => settled(shownAs(data)),
      (error) => {
        settled(({ answer }) => ({
          ...(error.isForNow && answer?.about === askedAbout && { answer }),
          error: error.message,
        }));
        if (error.isForNow) setTimeout(() => !signal.aborted && setRound((before) => before + 1), RETRY_MS);
      },
    );
  }, [asked, revision, operation, round]);
  /** @type {typeof state} */
  const current = variables ? state : NOTHING_YET;
  return { ...current, again: () => setRound((before) => before + 1) };
}
