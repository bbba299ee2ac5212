/** A file on its way in: its name and media type as the sender gave them, and its bytes, to be read once. */
export class IncomingFile {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: AsyncIterable<Uint8Array>;

  constructor(name: string, mediaType: string, bytes: AsyncIterable<Uint8Array>) {
    this.name = name;
    this.mediaType = mediaType;
    this.bytes = bytes;
  }
}

/** What is known of a file's contents once they are stored; they never change. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  /** Bytes. */
  readonly size: number;
  /** SHA-256 of the contents, in hexadecimal. */
  readonly sha256: string;
}

/** The bytes of a file from `start` to `end`, both counted from 0 and included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** A file's contents that may be read: a handle inside the process, the path of the contents for everyone else. */
export class FileContent {
  readonly file: StoredFile;
  /** Where REST serves the contents. */
  readonly path: string;
  /** The bytes, or those of a range, read as they are asked for. */
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
