/** Resolves once all resolvers with settled promises have run, so that what they requested is read in one batch, as DataLoader does. */
export const endOfTurn = (): Promise<void> =>
  new Promise<void>((resolve) => {
    void Promise.resolve().then(() => process.nextTick(resolve));
  });
