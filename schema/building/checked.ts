import type { Context } from '../../src/context.ts';

/**
 * Extensions of a field that refuses some arguments: the same check, without the parent object. A whole mutation is checked before
 * it begins, so nothing is written if a field below it would refuse its arguments. A root field checks its arguments itself; for
 * requests to REST in which some of them are invalid, its check tells what is wrong with the others, and gets only these.
 */
export const checked = <Args>(check: (args: Args, context: Context) => Promise<void> | void) => ({ check });
