import type { Context } from '../../src/context.ts';

/**
 * Extensions of a field that refuses some arguments: the same check without the object that it belongs to. A mutation is checked whole
 * before it begins, so that nothing is written where a field below it would refuse its arguments.
 */
export const checked = <Args>(check: (args: Args, context: Context) => Promise<void> | void) => ({ check });
