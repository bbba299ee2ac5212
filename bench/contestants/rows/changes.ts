import { isDeepStrictEqual } from 'node:util';
import express, { type Express } from 'express';
import { v7 } from 'uuid';
import type { StoredDocument } from '../../../src/model/entity/entity.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import type { StoredVersion } from '../../../src/store/entities/versions.ts';
import { envelopeOf, principalOf } from '../express-base.ts';
import { checkJob } from '../job-validation.ts';
import { type Jobs, Refused } from '../jobs.ts';

/** The number of attempts at a change when others come first. */
const ATTEMPTS = 10;

/** JSON Merge Patch. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(typeof target === 'object' && !Array.isArray(target) ? target : {}) };
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

/** PATCH and DELETE: in the same transaction, the old version is kept, and a deletion leaves a record and audit log lines. */
export function addChanges(app: Express, jobs: Jobs): void {
  const documents = jobs.db.collection<StoredDocument>('documents');
  const versions = jobs.db.collection<StoredVersion>('versions');
  const attachments = jobs.db.collection('attachments');
  const traces = jobs.db.collection<StoredDocument>('bench_deleted');
  const auditLog = jobs.db.collection('bench_audit_log');
  const path = '/v2/workspaces/:workspace/documents/:id';

  /** The changed job; undefined if another change came first. */
  const change = async (before: StoredDocument, patch: unknown, by: string): Promise<StoredDocument | undefined> => {
    const body = merged(before.body, patch) as JsonObject;
    const fault = checkJob(body);
    if (fault) throw new Refused(400, fault);
    if (isDeepStrictEqual(body, before.body)) return before;
    const { _id: entity, version_id, workspace, revision, modified_by, modified_at } = before;
    const after = {
      ...before,
      body,
      version_id: v7(),
      revision: revision + 1,
      modified_by: by,
      modified_at: new Date(),
    };
    const kept = { entity, workspace, revision, modified_by, modified_at, body: before.body };
    await versions.updateOne({ _id: version_id }, { $setOnInsert: kept }, { upsert: true });
    const { matchedCount } = await documents.replaceOne({ _id: entity, version_id }, after);
    return matchedCount === 1 ? after : undefined;
  };

  app.patch(path, express.json({ limit: '32mb' }), async (request, response) => {
    const { _id: by, tenant } = principalOf(response);
    const place = request.params as { workspace: string; id: string };
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const after = await change(await jobs.get(tenant, place), request.body.body, by);
      if (after) {
        response.set({ ETag: `"${after.version_id}"` }).json(envelopeOf(after));
        return;
      }
    }
    throw new Refused(409, 'Other changes came first.');
  });

  app.delete(path, async ({ params, ip: address }, response) => {
    const { _id: deleted_by, tenant, name } = principalOf(response);
    const requestId = response.get('x-request-id');
    const found = await jobs.get(tenant, params);
    await jobs.transaction(async (session) => {
      const below = await documents.find({ workspace: found.workspace, parent_id: found._id }, { session }).toArray();
      const gone = [found, ...below];
      const ids = gone.map(({ _id }) => _id);
      const { deletedCount } = await documents.deleteMany({ _id: { $in: ids } }, { session });
      if (deletedCount < gone.length) throw new Refused(409, 'Another change came first.');
      const deleted_at = new Date();
      await traces.insertMany(
        gone.map((one) => ({ ...one, deleted_by, deleted_at })),
        { session },
      );
      await attachments.deleteMany({ workspace: found.workspace, parent_id: { $in: ids } }, { session });
      const line = {
        at: deleted_at,
        action: 'document.deleted',
        principal: { id: deleted_by, name },
        ...{ tenant, address, requestId, operation: 'v2.documents.delete', outcome: 'success' },
      };
      await auditLog.insertMany(
        ids.map((entity) => ({ ...line, entity })),
        { session },
      );
    });
    response.set({ ETag: `"${found.version_id}"` }).json(envelopeOf(found));
  });
}
