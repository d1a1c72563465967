/** Length and SHA-256 of a file. */
export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

/** File operations of a run, so that tests can inject faults. Every write is on disk when it returns. */
export interface FileSystem {
  makeDirectory(path: string): Promise<void>;
  /** @throws if the disk fails, or a folder may not be read */
  exists(path: string): Promise<boolean>;
  list(path: string): Promise<string[]>;
  read(path: string): Promise<Uint8Array>;
  size(path: string): Promise<number>;
  /** Bytes from an offset, fewer at the end of the file. */
  readPart(path: string, from: number, length: number): Promise<Uint8Array>;
  /** Streams the file, which may be larger than memory. */
  digest(path: string): Promise<FileDigest>;
  /** Creates or replaces a file and syncs it. */
  write(path: string, data: Uint8Array | string): Promise<void>;
  append(path: string, data: Uint8Array | string): Promise<void>;
  /** Cuts a file off behind so many bytes and syncs it. */
  truncate(path: string, bytes: number): Promise<void>;
  /** Renames and syncs the parent directory. */
  rename(from: string, to: string): Promise<void>;
  /** Syncs a file that another process wrote. */
  syncFile(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** A file that is read in pieces. */
export interface OpenFile {
  readonly bytes: number;
  /** Fills `into`, or part of it, with what lies at `position`. @returns bytes read; 0 at the end */
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

export interface NewFile {
  write(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Files of models, too large for memory. */
export interface ModelFiles {
  exists(path: string): Promise<boolean>;
  /** @throws where there is no such file */
  openToRead(path: string): Promise<OpenFile>;
  /** Creates a file or empties an old one. */
  openToWrite(path: string): Promise<NewFile>;
}

/** Joins parts of a path with single slashes, which Node reads on every system. */
export function joinPath(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== "")
    .map((part, i) => (i === 0 ? part : part.replace(/^\/+/u, "")))
    .map((part, i, { length }) => (i === length - 1 ? part : part.replace(/\/+$/u, "")))
    .join("/");
}
