import { v7 as newId } from 'uuid';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import type { StoredDocument } from '../../src/model/entity/entity.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { BenchRequest, Operation } from './operation.ts';
import { creations, post, spread, VARIETY, WRITE_WORKSPACE } from './requests.ts';

/** The number of jobs to change, and of texts that each gets in turn: the same text would be no change. */
const CHANGED = 400;
const TEXTS = 20;
/** The number of jobs created in one turn if requests cannot be sent twice. */
const CREATED = 1_280;
/** The number of jobs deleted in one turn, if there are that many: the same for each connection. */
const DELETED = 640;

const NEW_VERSION = ['version_id', 'modified_at'];
const NEW_DOCUMENT = ['id', 'created_at', ...NEW_VERSION];

/** Changes and deletions, and a job to be placed in the workspace of its parties. */
export const WRITES: readonly Operation[] = [
  {
    name: 'keyed-create',
    title: 'create a job, each under an Idempotency-Key of its own (v2)',
    requests: (turn) => {
      const made = creations(turn);
      return Array.from({ length: CREATED }, (_, index) => {
        return { ...(made[index % made.length] as BenchRequest), idempotencyKey: newId() };
      });
    },
    once: true,
    rivals: ['handwritten'],
    differing: NEW_DOCUMENT,
  },
  {
    name: 'patch',
    title: 'change a field of a job (v2, PATCH)',
    requests: ({ stored }) => {
      const workspace = stored.workspaces[WRITE_WORKSPACE]?._id;
      const jobs = stored.documents.filter((one) => one.workspace === workspace && one.type === JOB_TYPE);
      const changed = spread(jobs, CHANGED);
      return Array.from({ length: TEXTS }, (_, text) =>
        changed.map(({ _id }): BenchRequest => {
          const body = JSON.stringify({ body: { notes: `Changed for the ${text + 1}. time` } });
          return { method: 'PATCH', path: `/v2/workspaces/${workspace}/documents/${_id}`, body };
        }),
      ).flat();
    },
    rivals: ['handwritten'],
    differing: NEW_VERSION,
  },
  {
    name: 'delete',
    title: 'delete a job without results (v2)',
    requests: async ({ stored, stores }) => {
      const workspace = stored.workspaces[WRITE_WORKSPACE]?._id;
      const model = stored.documents.find((one) => one.workspace === workspace && one.type === JOB_TYPE);
      const { sender: _none, ...unsent } = model as StoredDocument;
      const copies = Array.from({ length: Math.min(DELETED, stored.documents.length) }, () => ({
        ...unsent,
        _id: newId(),
        version_id: newId(),
      }));
      await stores.documents.insertMany(copies);
      return copies.map(({ _id }) => ({ method: 'DELETE', path: `/v2/workspaces/${workspace}/documents/${_id}` }));
    },
    once: true,
    rivals: ['handwritten'],
    differing: NEW_DOCUMENT,
  },
  {
    name: 'bridge-create',
    title: 'create a job of Shape B in the workspace of its parties (Data API)',
    requests: ({ trade, stored }) => {
      const workspace = stored.workspaces[WRITE_WORKSPACE]?._id ?? '';
      const jobs = trade.jobs.filter((job) => job.workspace === WRITE_WORKSPACE);
      return spread(jobs, VARIETY).map(({ body }) => post('/bridge/v1/data/jobs', { ...inShapeB(body), workspace }));
    },
    rivals: ['handwritten'],
    differing: NEW_DOCUMENT,
  },
];

/** A job in the Data API's shape: the quantity with its unit. */
function inShapeB({ cargo, specification: _own, ...body }: JsonObject): JsonObject {
  const { product, quantity, uom } = cargo as { [name: string]: JsonObject[string] };
  return { ...body, cargo: { product: product ?? null, quantity: { value: quantity ?? null, uom: uom ?? null } } };
}
