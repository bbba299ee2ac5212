import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Express } from 'express';
import { GridFSBucket, type ObjectId } from 'mongodb';
import multer from 'multer';
import { v7 } from 'uuid';
import { schemaIdOf } from '../../../src/model/fields/schema-ids.ts';
import { principalOf } from '../express-base.ts';
import { type Jobs, Refused } from '../jobs.ts';

const TYPE = 'svc.bridge.attachment';
const MEGABYTE = 1024 * 1024;

interface Attached {
  readonly _id: string;
  readonly document: string;
  readonly readers: readonly string[];
  readonly file: ObjectId;
  readonly sha256: string;
  readonly size: number;
  readonly format: string;
  readonly caption: string;
}

/** Small files through memory, in the GridFS bucket of the driver. */
export function addAttachments(app: Express, jobs: Jobs): void {
  const bucket = new GridFSBucket(jobs.db, { bucketName: 'bench_files' });
  const attachments = jobs.db.collection<Attached>('bench_attachments');
  const inMemory = multer({ storage: multer.memoryStorage(), limits: { fileSize: 10 * MEGABYTE } });
  const path = '/v2/workspaces/:workspace/documents/:id/attachments';

  app.post(path, inMemory.single('file'), async (request, response) => {
    const { _id: by, tenant } = principalOf(response);
    const { workspace, id: document } = request.params as { workspace: string; id: string };
    const { readers } = await jobs.get(tenant, { workspace, id: document });
    const { file } = request;
    if (!file) throw new Refused(400, 'There is no file.');
    const upload = bucket.openUploadStream(file.originalname);
    await pipeline(Readable.from([file.buffer]), upload);
    const [_id, version] = [v7(), v7()];
    const { originalname: caption, mimetype: format, size } = file;
    const sha256 = hash('sha256', file.buffer);
    await attachments.insertOne({
      ...{ _id, document, readers, file: upload.id },
      ...{ sha256, size, format, caption },
    });
    const at = new Date();
    response
      .status(201)
      .set({ ETag: `"${version}"`, Location: `${request.path}/${_id}` })
      .json({
        ...{ id: _id, version_id: version, parent_id: document, created_by: by, created_at: at },
        ...{ modified_by: by, modified_at: at, type: TYPE, meta: { workspace }, schema: schemaIdOf(TYPE) },
        body: { workspace, document, caption, size, location: String(upload.id), format },
      });
  });

  app.get(`${path}/:attachment/content`, async ({ params }, response) => {
    const { tenant } = principalOf(response);
    const { attachment = '', id: document } = params as { [name: string]: string };
    const found = await attachments.findOne({ _id: attachment, ...(document && { document }), readers: tenant });
    if (!found) throw new Refused(404, 'There is no such file.');
    response.set({
      'Content-Type': found.format,
      'Content-Length': String(found.size),
      'Content-Disposition': `attachment; filename="${found.caption}"`,
      ETag: `"${found.sha256}"`,
      'Cache-Control': 'private, no-cache',
    });
    await pipeline(bucket.openDownloadStream(found.file), response);
  });
}
