/** Whether a command line has no words but these flags; if it has, they are named, with the usage. */
export function hasOnly(flags: readonly string[], args: readonly string[], usage: string): boolean {
  const surplus = args.filter((arg) => !flags.includes(arg));
  if (surplus.length > 0) console.error(`${surplus.join(' ')} is not expected here: ${usage}`);
  return surplus.length === 0;
}
