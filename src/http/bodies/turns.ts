const waiting: (() => void)[] = [];
let isTaken = false;

/** Does one piece of work in each turn of the event loop, so that what has come meanwhile is served between them. It must not throw. */
export function inTurn(work: () => void): void {
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
  if (work) inTurn(work);
}
