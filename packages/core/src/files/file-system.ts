/** Length and SHA-256. */
export interface FileDigest {
  readonly bytes: number;
  readonly sha256: string;
}

/** File operations of a run; every write is durable when it returns. */
export interface FileSystem {
  makeDirectory(path: string): Promise<void>;
  exists(path: string): Promise<boolean>;
  list(path: string): Promise<string[]>;
  read(path: string): Promise<Uint8Array>;
  size(path: string): Promise<number>;
  /** Fewer bytes at the end of the file. */
  readPart(path: string, from: number, length: number): Promise<Uint8Array>;
  /** Streams a file that may be larger than memory. */
  digest(path: string): Promise<FileDigest>;
  write(path: string, data: Uint8Array | string): Promise<void>;
  append(path: string, data: Uint8Array | string): Promise<void>;
  truncate(path: string, bytes: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  syncFile(path: string): Promise<void>;
  syncDirectory(path: string): Promise<void>;
  remove(path: string): Promise<void>;
}

/** File that is read in pieces. */
export interface OpenFile {
  readonly bytes: number;
  /** Fills all or part of `into`; returns bytes read, 0 at the end. */
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}

export interface NewFile {
  write(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Model files, too large for memory. */
export interface ModelFiles {
  exists(path: string): Promise<boolean>;
  openToRead(path: string): Promise<OpenFile>;
  openToWrite(path: string): Promise<NewFile>;
}

/** Joins with single slashes, which Node reads on every system. */
export function joinPath(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== "")
    .map((part, i) => (i === 0 ? part : part.replace(/^\/+/u, "")))
    .map((part, i, { length }) => (i === length - 1 ? part : part.replace(/\/+$/u, "")))
    .join("/");
}
