import { createHash } from 'node:crypto';
import { makeWorkspace, startTestService, type TestService } from '../../service.ts';

/** The maximum file size of the service in most of these tests. */
export const MAX_FILE = 3_000_000;

/** A service with a workspace, and the requests that file tests repeat. */
export interface FileFixture {
  readonly service: TestService;
  readonly workspace: string;
  makeJob(): Promise<string>;
  /** What is stored of files, to show that nothing is left behind. */
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
