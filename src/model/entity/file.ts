/** A file being uploaded: its name and media type as sent, and its bytes, which can be read only once. */
export class IncomingFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Whether another request attaches it, perhaps in another process. */
  readonly isForLater: boolean = false;

  constructor(name: string, mediaType: string, bytes: AsyncIterable<Uint8Array>) {
    this.name = name;
    this.mediaType = mediaType;
    this.bytes = bytes;
  }
}

/** A file that another request will attach. */
export class FileForLater extends IncomingFile {
  override readonly isForLater = true;
}

/** The metadata of a file's stored contents, which never change. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the contents, in hexadecimal. */
  readonly sha256: string;
}

/** The bytes of a file from `start` to `end`, zero-based and inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A file's contents: a handle within the process, and the path of the contents in JSON. */
export class FileContent {
  readonly file: StoredFile;
  /** The path at which REST serves the contents. */
  readonly path: string;
  /** The bytes, or those of a range, read on demand. */
  readonly open: (range?: ByteRange) => AsyncIterable<Uint8Array>;

  constructor(file: StoredFile, path: string, open: (range?: ByteRange) => AsyncIterable<Uint8Array>) {
    this.file = file;
    this.path = path;
    this.open = open;
  }

  toJSON(): string {
    return this.path;
  }
}
