import { createHash } from 'node:crypto';
import { makeWorkspace, startTestService, type TestService } from '../../service.ts';

/** The largest file that the service of most of these tests takes. */
export const MAX_FILE = 3_000_000;

/** A service with a workspace, and what tests of files ask of it again and again. */
export interface FileFixture {
  readonly service: TestService;
  readonly workspace: string;
  makeJob(): Promise<string>;
  /** How much is stored of files; what leaves nothing behind leaves it as it was. */
  stored(): Promise<Readonly<Record<'chunks' | 'files' | 'loose' | 'attachments', number>>>;
}

export async function openFileFixture({ maxFile = MAX_FILE, env = {} } = {}): Promise<FileFixture> {
  const service = await startTestService({ env: { ...env, MAX_FILE_BYTES: String(maxFile) } });
  const workspace = (await makeWorkspace(service)).id;
  const count = (collection: string) => service.stores.db.collection(collection).countDocuments();
  return {
    service,
    workspace,
    makeJob: async () => {
      const made = await service.ask('POST', `/workspaces/${workspace}/jobs`, { as: 'client', body: {} });
      return made.body.id as string;
    },
    stored: async () => ({
      chunks: await count('fs.chunks'),
      files: await count('fs.files'),
      loose: await count('loose_files'),
      attachments: await count('attachments'),
    }),
  };
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
