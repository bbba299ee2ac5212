import type { Db, Document } from 'mongodb';
import type { Evidence, Finding } from './evidence.ts';

/** Where a collection names another one, and what its entities are then without. */
interface Reference {
  readonly from: string;
  readonly path: string;
  readonly to: string;
  readonly match?: Document;
}

const BELOW_WORKSPACES = { workspace: { $type: 'string', $not: /^tenant/ } };

const REFERENCES: readonly Reference[] = [
  { from: 'documents', path: 'workspace', to: 'workspaces', match: BELOW_WORKSPACES },
  { from: 'documents', path: 'parent_id', to: 'documents', match: { parent_id: { $ne: null } } },
  { from: 'documents', path: 'refs', to: 'catalog_records' },
  { from: 'catalog_records', path: 'workspace', to: 'workspaces' },
  { from: 'synonyms', path: 'items', to: 'catalog_records' },
  { from: 'attachments', path: 'parent_id', to: 'documents' },
  { from: 'attachments', path: 'file.id', to: 'fs.files' },
];

/** Nothing refers to what is not there, and no contents of files belong to nobody. */
export async function checkOrphans({ db }: Evidence): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { from, path, to, match = {} } of REFERENCES) {
    const stages = [
      { $match: match },
      { $project: { named: `$${path}` } },
      { $unwind: '$named' },
      { $lookup: { from: to, localField: 'named', foreignField: '_id', as: 'found' } },
      { $match: { found: { $size: 0 } } },
    ];
    for await (const { _id, named } of db.collection(from).aggregate(stages)) {
      findings.push({ kind: 'wrong', text: `${from} ${_id} refers by ${path} to ${named}, which is not in ${to}` });
    }
  }
  return [...findings, ...(await fileOrphans(db))];
}

async function fileOrphans(db: Db): Promise<Finding[]> {
  const ids = async (collection: string, path: string): Promise<Set<string>> =>
    new Set((await db.collection(collection).distinct(path)).map(String));
  const [chunks, files, loose, kept] = await Promise.all([
    ids('fs.chunks', 'files_id'),
    ids('fs.files', '_id'),
    ids('loose_files', '_id'),
    ids('attachments', 'file.id'),
  ]);
  const nobodys = [...chunks].filter((id) => !files.has(id) && !loose.has(id));
  const unkept = [...files].filter((id) => !kept.has(id));
  return [
    ...nobodys.map((id): Finding => ({ kind: 'wrong', text: `chunks of the file ${id} belong to nobody` })),
    ...unkept.map((id): Finding => ({ kind: 'wrong', text: `the file ${id} belongs to no attachment` })),
  ];
}
