import { idsInBatches } from '../store/batching/ids-in-batches.ts';
import type { StoredFileRecord } from './entities.ts';
import type { CollectionCheck, Finding, WholeCheck } from './finding.ts';
import type { Snapshot } from './snapshot.ts';

interface ChunkSize {
  readonly files_id: string;
  readonly n: number;
  readonly size: number;
}

/** Files: every chunk exists and has the right size, and there are no extra chunks. */
export const files: CollectionCheck<StoredFileRecord> = {
  collection: 'fs.files',
  async faults(batch, snapshot) {
    const stages = [
      { $match: { files_id: { $in: batch.map(({ _id }) => _id) } } },
      { $sort: { files_id: 1, n: 1 } },
      { $project: { _id: 0, files_id: 1, n: 1, size: { $binarySize: '$data' } } },
    ];
    const left = new Map(batch.map((file) => [file._id, { file, next: 0, wrong: undefined as string | undefined }]));
    for await (const { files_id, n, size } of snapshot.stream<ChunkSize>('fs.chunks', stages)) {
      const seen = left.get(files_id);
      if (!seen) continue;
      const wanted = Math.min(seen.file.chunkSize, seen.file.length - n * seen.file.chunkSize);
      if (n !== seen.next) seen.wrong ??= `lacks the chunk ${seen.next}`;
      else if (size !== wanted) seen.wrong ??= `has ${size} bytes in the chunk ${n}, which should have ${wanted}`;
      seen.next = n + 1;
    }
    return [...left.values()].flatMap(({ file, next, wrong }) => {
      const chunks = Math.ceil(file.length / file.chunkSize);
      const fault = wrong ?? (next < chunks ? `lacks the chunk ${next}` : undefined);
      return fault
        ? [[file._id, `${fault} (${file.length} bytes are ${chunks} chunks of ${file.chunkSize}).`] as const]
        : [];
    });
  },
};

/** Files without an attachment. */
export const unattachedFiles: WholeCheck = {
  collection: 'fs.files',
  async *findings(snapshot) {
    const attached = snapshot
      .stream<{ _id: string }>('attachments', [{ $project: { _id: '$file.id' } }, { $sort: { _id: 1 } }])
      [Symbol.asyncIterator]();
    let next = await attached.next();
    for await (const { _id } of snapshot.stream<{ _id: string }>('fs.files', [
      { $sort: { _id: 1 } },
      { $project: { _id: 1 } },
    ])) {
      while (!next.done && next.value._id < _id) next = await attached.next();
      if (next.done || next.value._id !== _id) yield finding('fs.files', _id, 'is a file that no attachment has.');
    }
  },
};

const FILES_AT_ONCE = 500;

/** Chunks without a file; those of uploads in progress have an entry in `loose_files`. */
export const looseChunks: WholeCheck = {
  collection: 'fs.chunks',
  async *findings(snapshot) {
    const stages = [{ $sort: { files_id: 1, n: 1 } }, { $group: { _id: '$files_id', n: { $first: '$n' } } }];
    for await (const ids of idsInBatches(snapshot.stream<{ _id: string }>('fs.chunks', stages), FILES_AT_ONCE)) {
      const known = await Promise.all(
        ['fs.files', 'loose_files'].map((name) =>
          snapshot.find<{ _id: string }>(name, { _id: { $in: ids } } as never, []),
        ),
      );
      const there = new Set(known.flat().map(({ _id }) => _id));
      for (const id of ids)
        if (!there.has(id)) yield finding('fs.chunks', id, 'are chunks of a file that is not there.');
    }
  },
};

/** Totals of reference records: the stored number equals the number of records. */
export const referenceTotals: WholeCheck = {
  collection: 'reference_totals',
  async *findings(snapshot) {
    const [counted, there] = await Promise.all([
      totals(snapshot, 'reference_totals', '$count'),
      totals(snapshot, 'reference_records', 1),
    ]);
    for (const id of new Set([...counted.keys(), ...there.keys()])) {
      const [kept = 0, found = 0] = [counted.get(id), there.get(id)];
      if (kept !== found) yield finding('reference_totals', id, `says ${kept} records, and there are ${found}.`);
    }
  },
};

async function totals(snapshot: Snapshot, name: string, amount: string | number): Promise<Map<string, number>> {
  const stages = [{ $group: { _id: { tenant: '$tenant', type: '$type' }, sum: { $sum: amount } } }];
  const sums = new Map<string, number>();
  for await (const row of snapshot.stream<{ _id: { tenant: string; type: string }; sum: number }>(name, stages)) {
    sums.set(`${row._id.tenant}/${row._id.type}`, row.sum);
  }
  return sums;
}

const finding = (collection: string, id: string, fault: string): Finding => ({ collection, id, fault });
