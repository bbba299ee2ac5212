import { randomBytes } from 'node:crypto';
import { JOB_TYPE } from '../../src/model/document-types/job.ts';
import type { BenchRequest, Operation, Turn } from './operation.ts';
import { get, spread, WRITE_WORKSPACE } from './requests.ts';

const BYTES = 100_000;
/** The number of jobs that files are attached to. */
const JOBS = 128;
const BOUNDARY = 'bench-boundary';

/** Incompressible, but text, so that a request can be written to a file. */
const content = randomBytes(BYTES).toString('base64').slice(0, BYTES);

const form = [
  `--${BOUNDARY}`,
  'Content-Disposition: form-data; name="file"; filename="report.txt"',
  'Content-Type: text/plain',
  '',
  content,
  `--${BOUNDARY}--`,
  '',
].join('\r\n');

/** Files of the size of a report. */
export const FILES: readonly Operation[] = [
  {
    name: 'upload',
    title: 'attach a file of 100 kB to a job (v2)',
    requests: uploads,
    rivals: ['handwritten'],
    differing: ['id', 'version_id', 'created_at', 'modified_at', 'location'],
  },
  {
    name: 'download',
    title: 'read a file of 100 kB (v2)',
    requests: async (turn) => {
      const [{ path, body = '', type = '' }] = uploads(turn) as [BenchRequest];
      const headers = { Authorization: 'Bearer demo-client-key', 'Content-Type': type };
      const response = await fetch(turn.url + path, { method: 'POST', headers, body });
      if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      const { id } = (await response.json()) as { id: string };
      return [get(`${path}/${id}/content`)];
    },
    rivals: ['handwritten'],
    differing: [],
  },
];

/** Uploads to one job after the other, because files of one job are attached one at a time. */
function uploads({ stored }: Turn): BenchRequest[] {
  const workspace = stored.workspaces[WRITE_WORKSPACE]?._id;
  const jobs = stored.documents.filter((one) => one.workspace === workspace && one.type === JOB_TYPE);
  return spread(jobs, JOBS).map(({ _id }) => {
    const path = `/v2/workspaces/${workspace}/documents/${_id}/attachments`;
    return { method: 'POST', path, body: form, type: `multipart/form-data; boundary=${BOUNDARY}` };
  });
}
