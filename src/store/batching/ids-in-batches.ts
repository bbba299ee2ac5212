/** The ids of rows as they arrive, in batches: very many do not fit into one MongoDB command or reply. */
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
