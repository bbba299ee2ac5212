const waiting: (() => void)[] = [];
let isTaken = false;

/** Runs one piece of work per turn of the event loop, so that other events are served in between. `work` must not throw. */
export function onePerTurn(work: () => void): void {
  if (isTaken) {
    waiting.push(work);
    return;
  }
  isTaken = true;
  setImmediate(next);
  work();
}

function next(): void {
  isTaken = false;
  const work = waiting.shift();
  if (work) onePerTurn(work);
}
