import type { Express, Response } from 'express';
import type { StoredDocument } from '../../../src/model/entity/entity.ts';
import { principalOf } from '../express-base.ts';
import type { Jobs } from '../jobs.ts';

/** GET /changes: changes of one workspace as server-sent events, from one change stream for all clients. */
export function addChangeStream(app: Express, jobs: Jobs): void {
  const documents = jobs.db.collection<StoredDocument>('documents');
  const clients = new Map<string, Set<Response>>();
  let isOpen = false;
  const open = (): void => {
    if (isOpen) return;
    isOpen = true;
    const pipeline = [{ $match: { operationType: { $in: ['insert', 'update', 'replace'] } } }];
    documents.watch(pipeline, { fullDocument: 'updateLookup' }).on('change', (change) => {
      if (!('fullDocument' in change) || !change.fullDocument) return;
      const { _id, version_id, workspace } = change.fullDocument;
      const text = `data: ${JSON.stringify({ documentId: _id, versionId: version_id })}\n\n`;
      for (const client of clients.get(workspace ?? '') ?? []) client.write(text);
    });
  };

  app.get('/changes', async ({ query }, response) => {
    const { _id } = await jobs.workspace(principalOf(response).tenant, String(query.workspace));
    open();
    const own = clients.get(_id) ?? new Set();
    clients.set(_id, own.add(response));
    response.once('close', () => own.delete(response));
    response.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' }).write(':\n\n');
  });
}
