/** When the resolvers have run whose promises are settled already: then what they asked for is read together, as DataLoader does it. */
export const endOfTurn = (): Promise<void> =>
  new Promise<void>((resolve) => {
    void Promise.resolve().then(() => process.nextTick(resolve));
  });
