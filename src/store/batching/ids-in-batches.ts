/** The ids of rows as they arrive, so many at a time: of very many, not all fit into one command or answer of MongoDB. */
export async function* idsInBatches<T>(
  rows: AsyncIterable<{ readonly _id: T }>,
  most: number,
): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const { _id } of rows) {
    if (batch.push(_id) < most) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
