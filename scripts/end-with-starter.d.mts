/** Stops this process in order when whoever started it by npm has ended. */
export function endWithStarter(): void;
