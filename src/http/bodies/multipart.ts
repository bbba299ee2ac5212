import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import multer, { MulterError, type StorageEngine } from 'multer';
import { invalidInput, ServiceError } from '../../errors.ts';
import { IncomingFile } from '../../model/entity/file.ts';
import { pointer } from '../../model/json.ts';
import { watchArrival } from './arrival.ts';
import { askForBody } from './expect-continue.ts';
import { watchFieldTexts } from './field-text.ts';
import { watchPartType } from './part-type.ts';

/** The text fields of a form; null if the text is unreadable. */
export type FormFields = Readonly<Record<string, unknown>>;

/** A fully received multipart form: its text fields, and the result of `take` for its file. */
export interface Form<T> {
  readonly fields: FormFields;
  readonly file: T;
}

/** What precedes a form's file: the name of the file's part, and the fields. */
export interface BeforeFile {
  readonly part: string;
  readonly fields: FormFields;
}

/** The credential of a form's request. */
export interface FormCredential {
  /** When it was checked before the form was read, by performance.now(). */
  readonly checked: number;
  /** Throws once it is no longer valid; returns the time of the last check, which is not repeated within a moment. */
  recheck(checked: number): Promise<number> | number;
}

/** Receives a form's file while it arrives. */
interface Intake<T> {
  /** Its end cuts the file off. */
  readonly credential: FormCredential;
  readonly maxFileBytes: number;
  /** How long the form may stall, in milliseconds. */
  readonly stallMs: number;
  /** A file that it accepts but does not read to the end is discarded. */
  take(file: IncomingFile, before: BeforeFile): Promise<T>;
  /** Undoes `take` if the form is rejected. */
  discard(taken: T): Promise<void>;
}

/** The limits of a form besides the contents of its one file. */
export interface FormParts {
  /** The name of the file's part; absent if any will do. */
  readonly filePart?: string;
  readonly fields: number;
  /** The largest field, in bytes. */
  readonly fieldBytes: number;
  /** Everything except the file, in bytes. */
  readonly bytes: number;
  /** Whether the file ends only once the whole form has arrived, so that its reader finishes only for a complete form. */
  readonly endsWithForm: boolean;
}

/** The part with the file (interface, "Attachment creation"). */
const FILE_PART = 'file';
const PARTS: FormParts = {
  filePart: FILE_PART,
  fields: 50,
  fieldBytes: 64 * 1024,
  bytes: 1024 * 1024,
  endsWithForm: false,
};
const MOST_PARTS = { parts: 100, headerPairs: 100 };
/** The file stream buffers one socket chunk: more would only be concatenated when read. */
const ONE_PIECE = 1;

/** Reads a form that must have a file in the part `file`, as `readParts` does. */
export async function readForm<T>(
  request: IncomingMessage,
  response: ServerResponse,
  intake: Intake<T>,
): Promise<Form<T>> {
  const { fields, file } = await readParts(request, response, { ...intake, parts: PARTS });
  if (file === undefined) throw invalidInput([NO_FILE]);
  return { fields, file };
}

/**
 * Reads a multipart form with multer; the file is passed to `take` as a stream, never buffered here. Rejects as soon as
 * the outcome is known, while multer drains the rest of the request. A failure leaves nothing behind.
 */
export function readParts<T>(
  request: IncomingMessage,
  response: ServerResponse,
  intake: Intake<T> & { readonly parts: FormParts },
): Promise<Form<T | undefined>> {
  const { maxFileBytes, stallMs, credential, take, discard, parts } = intake;
  if (Number(request.headers['content-length'] ?? 0) > maxFileBytes + parts.bytes) throw fileTooLarge(maxFileBytes);
  const typeOfPart = watchPartType(request);
  const isAsSent = watchFieldTexts(request);
  return new Promise((resolve, reject) => {
    let taken: { readonly file: T } | undefined;
    let hasFile = false;
    let taking: Promise<void> = Promise.resolve();
    let whole: Promise<void> | undefined;
    let breakOff: (error: Error) => void = () => undefined;
    const unreadable: Record<string, null> = {};
    const fields = (): FormFields => ({ ...(request as { body?: object }).body, ...unreadable });
    const storage: StorageEngine = {
      _handleFile: (_request, { fieldname, stream, originalname, mimetype }, done) => {
        hasFile = true;
        stream.once('limit', () => stream.destroy(fileTooLarge(maxFileBytes)));
        const file = new IncomingFile(
          fileName(originalname),
          typeOfPart() ?? mimetype,
          bytesOf(stream, { credential, whole }),
        );
        taking = take(file, { part: fieldname, fields: fields() }).then(
          (file) => {
            taken = { file };
            done(stream.readableEnded ? null : new Error('nothing reads the rest of the file'), {});
          },
          (error: unknown) => {
            reject(error);
            done(error);
          },
        );
      },
      _removeFile: (_request, _file, done) => {
        const removed = taken;
        taken = undefined;
        if (removed === undefined) done(null);
        else discard(removed.file).then(() => done(null), done);
      },
    };
    const form = multer({
      storage,
      limits: { ...MOST_PARTS, ...limitsOf(parts), fileSize: maxFileBytes },
      defParamCharset: 'latin1',
      fileHwm: ONE_PIECE,
      streamHandler: (form: IncomingMessage, parser: Writable) => {
        parser.on('field', (name: string, text: string | undefined) => {
          if (!isAsSent(text)) unreadable[name] = null;
        });
        breakOff = (error) => parser.destroy(error);
        if (parts.endsWithForm) whole = wholeForm(parser);
        form.pipe(parser);
      },
    } as multer.Options);
    const read = parts.filePart === undefined ? form.any() : form.single(parts.filePart);
    const endWatch = watchArrival(request, { stallMs }, (error) => {
      reject(error);
      breakOff(error); // nobody waits for the rest of the file
    });
    askForBody(request);
    read(request as Parameters<typeof read>[0], response as Parameters<typeof read>[1], (error: unknown) => {
      endWatch();
      // A file refused while it arrives aborts the form; report that reason.
      if (error instanceof MulterError) reject(refusal(error, { maxFileBytes, hasFile, parts }));
      else if (error) void taking.then(() => reject(refusal(error, { maxFileBytes, hasFile, parts })));
      else resolve({ fields: fields(), file: taken?.file });
    });
  });
}

const limitsOf = ({ filePart, fields, fieldBytes }: FormParts) => ({
  fields,
  fieldSize: fieldBytes,
  ...(filePart === undefined && { files: 1 }),
});

/** Resolves when a parser has read a whole form; rejects if it is cut off, or has a second file. */
function wholeForm(parser: Writable): Promise<void> {
  parser.once('filesLimit', () => parser.destroy(secondFile()));
  const whole = finished(parser);
  whole.catch(() => undefined); // unawaited without a file
  return whole;
}

const secondFile = (): ServiceError =>
  invalidInput([{ path: '', message: 'has a second file: send each file in a request of its own.' }]);

const NO_FILE = {
  path: `/${FILE_PART}`,
  message: `is missing: the form must have one part "${FILE_PART}" with a file in it, whose Content-Disposition has a filename other than "." and "..".`,
};

/**
 * The bytes of a file, which end once the `whole` form has arrived; throws when the credential ends. Any other failure is
 * the sender's error, not the service's.
 */
async function* bytesOf(stream: NodeJS.ReadableStream, { credential, whole }: FormOfFile): AsyncGenerator<Uint8Array> {
  let { checked } = credential;
  try {
    for await (const bytes of stream) {
      const looked = credential.recheck(checked);
      checked = looked instanceof Promise ? await looked : looked;
      yield bytes as Buffer;
    }
    await whole;
    await credential.recheck(checked);
  } catch (error) {
    throw error instanceof ServiceError ? error : malformed(error);
  }
}

interface FormOfFile {
  readonly credential: FormCredential;
  readonly whole: Promise<void> | undefined;
}

const fileTooLarge = (limit: number): ServiceError =>
  new ServiceError('TOO_LARGE', `The file is larger than the ${limit} bytes that are allowed.`);

function malformed(cause: unknown): ServiceError {
  const message = `is not valid multipart/form-data: ${(cause as Error).message}.`;
  return new ServiceError('INVALID_INPUT', `The form ${message}`, { errors: [{ path: '', message }], cause });
}

/** What is known of a refused form. */
interface Refused {
  readonly maxFileBytes: number;
  readonly hasFile: boolean;
  readonly parts: FormParts;
}

/** Translates multer's errors. */
function refusal(error: unknown, { maxFileBytes, hasFile, parts }: Refused): unknown {
  if (error instanceof ServiceError || !(error instanceof Error)) return error;
  if (!(error instanceof MulterError)) return malformed(error);
  const path = pointer([error.field ?? '']);
  switch (error.code) {
    case 'LIMIT_FILE_SIZE':
      return fileTooLarge(maxFileBytes);
    case 'LIMIT_FIELD_VALUE': {
      const message = `is longer than ${parts.fieldBytes} bytes.`;
      return new ServiceError('TOO_LARGE', `The form field ${error.field} ${message}`, { errors: [{ path, message }] });
    }
    case 'LIMIT_FILE_COUNT':
      return secondFile();
    case 'LIMIT_UNEXPECTED_FILE': {
      const which = error.field === FILE_PART && hasFile ? 'has a second file' : 'has a file';
      const message = `${which}: the form takes one file, in the part "${FILE_PART}".`;
      return invalidInput([{ path, message }]);
    }
    default:
      return malformed(error);
  }
}

/** Control characters, and bidirectional ones, which make `exe.fdp` look like `pdf.exe`. */
const DECEIVING = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;
/** The maximum length of a name in characters, as in most file systems; longer names keep their beginning and extension. */
const MAX_NAME = 255;
const EXTENSION = /\.[^.]{1,20}$/;

/**
 * The name of a file, without any path. Part headers have no charset: browsers and most clients send UTF-8, old ones
 * Latin-1; an RFC 5987 name states its charset, and arrives here already decoded.
 */
function fileName(given: string): string {
  const bytes = Buffer.from(given, 'latin1');
  const name = bytes.toString('latin1') === given && isUtf8(bytes) ? bytes.toString('utf8') : given;
  const plain = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  const clean = plain.replace(DECEIVING, '').trim() || 'file';
  const extension = EXTENSION.exec(clean)?.[0] ?? '';
  return clean.length <= MAX_NAME ? clean : beginning(clean, MAX_NAME - extension.length) + extension;
}

/** The first characters of a text, without splitting a surrogate pair. */
const beginning = (text: string, length: number): string =>
  text.slice(0, length).isWellFormed() ? text.slice(0, length) : text.slice(0, length - 1);
