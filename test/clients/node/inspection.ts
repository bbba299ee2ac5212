import { createHash } from 'node:crypto';
import { createReadStream, openAsBlob, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** A request, as passed to each client library. */
interface Sent {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly form?: FormData;
  /** A body of unknown length. */
  readonly stream?: Readable;
}

/** The answer. */
interface Got {
  readonly status: number;
  readonly text: string;
  /** The value of a header, or undefined. */
  header(name: string): string | undefined;
  readonly redirects: number;
  /** The encoding the library removed, or found. */
  readonly encoding?: string | undefined;
}

/** A client library with its defaults. */
interface Client {
  send(sent: Sent): Promise<Got>;
  download(url: string, headers: Sent['headers']): Promise<Readable> | Readable;
  /** Whether it sends `Expect: 100-continue` on request. */
  readonly expects: boolean;
}

const env = (name: string): string => process.env[name] ?? '';
const base = env('EXCHANGE_URL');
const file = env('FILE');
const key = { Authorization: 'Bearer demo-client-key' };

/** The original encoding of a body, for libraries that remove the header with the encoding. */
export const codingIn = (rawHeaders: readonly string[]): string | undefined =>
  rawHeaders[rawHeaders.findIndex((name) => name.toLowerCase() === 'content-encoding') + 1 || -1];

/** Does an inspection, and prints what it saw as a JSON object. */
export async function inspect(client: Client): Promise<void> {
  const workspace = env('WORKSPACE');
  const seen: Record<string, unknown> = {};
  const send = (method: Sent['method'], path: string, more: Partial<Sent> = {}) =>
    client.send({ method, url: base + path, headers: key, ...more });
  const sha256Of = async (path: string) => {
    const digest = createHash('sha256');
    await pipeline(await client.download(base + path, key), digest);
    return digest.digest('hex');
  };
  const stream = (path: string) => {
    const headers = { 'Content-Type': 'multipart/form-data; boundary=sea', ...(client.expects && EXPECT) };
    return send('POST', path, { headers: { ...key, ...headers }, stream: Readable.from(partsOfForm()) });
  };

  const credentials = { username: 'client@demo.example', password: 'demo-password' };
  const signIn = await send('POST', '/api/rest/1.0/session', { headers: {}, json: credentials });
  seen.signIn = signIn.status;
  const headers = { Cookie: signIn.header('set-cookie')?.split(';')[0] ?? '' };
  seen.username = parsed(await send('GET', '/api/rest/1.0/session', { headers })).username;
  const port = `/api/rest/1.0/ports/${encodeURIComponent(env('MARK'))}`;
  seen.port = (await send('PUT', port, { headers, json: body('port') })).status;
  seen.portName = parsed(await send('GET', port, { headers })).name;

  const version = { headers: { ...key, 'Accept-Version': '1.0' } };
  const sent = await send('POST', '/bridge/v1/data/jobs', { ...version, json: body('data-api-job') });
  seen.dataApiJob = sent.status;
  const jobs = `/workspaces/${workspace}/jobs`;
  const once = { headers: { ...key, 'Idempotency-Key': env('MARK') }, json: body('job') };
  const first = await send('POST', jobs, once);
  const again = await send('POST', jobs, once);
  seen.legacyJob = first.status;
  seen.again = again.status;
  seen.sameId = parsed(first).id === parsed(again).id;
  seen.replayed = again.header('idempotency-replayed');
  const document = await send('POST', `/v2/workspaces/${workspace}/documents`, { json: body('document') });
  seen.v2Job = document.status;
  const at = document.header('location') ?? '';
  const read = await send('GET', at);
  seen.notes = parsed(read).body.notes;
  seen.encoding = read.encoding ?? read.header('content-encoding') ?? '';

  const list = await send('GET', `${jobs}/?refNumber=KST-2042`);
  seen.list = list.status;
  seen.listed = JSON.parse(list.text).length > 0;
  seen.redirects = list.redirects;

  const tag = read.header('etag') ?? '';
  seen.notModified = (await send('GET', at, { headers: { ...key, 'If-None-Match': tag } })).status;
  const patch = { headers: { ...key, 'If-Match': tag }, json: { body: { status: 'active' } } };
  seen.changed = (await send('PATCH', at, patch)).status;
  seen.stale = (await send('PATCH', at, patch)).status;

  const files = `${jobs}/${parsed(first).id}/files`;
  const form = new FormData();
  form.set('file', await openAsBlob(file), 'certificate.bin');
  const uploaded = await send('POST', files, { form });
  seen.file = uploaded.status;
  seen.fileSha256 = await sha256Of(`${files}/${parsed(uploaded).id}/content`);
  const streamed = await stream(`${at}/attachments`);
  seen.attachment = streamed.status;
  seen.attachmentSha256 = await sha256Of(`${streamed.header('location')}/content`);
  seen.refused = (await stream(`/v2/workspaces/${workspace}/documents/${workspace}/attachments`)).status;

  console.log(JSON.stringify(seen));
}

const EXPECT = { Expect: '100-continue' };

/** The form by hand, while the file is being read. */
async function* partsOfForm(): AsyncGenerator<Buffer> {
  yield Buffer.from('--sea\r\nContent-Disposition: form-data; name="file"; filename="certificate.bin"\r\n\r\n');
  yield* createReadStream(file);
  yield Buffer.from('\r\n--sea--\r\n');
}

const body = (name: string): object => JSON.parse(readFileSync(`${env('BODIES')}/${name}.json`, 'utf8'));

/** The parts of a body the walk looks at. */
interface Seen {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly body: { readonly notes: string };
}

const parsed = ({ text }: Got): Seen => JSON.parse(text);
