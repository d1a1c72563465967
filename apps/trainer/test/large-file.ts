import type { FileSystem } from "@laconic/core/files";

/** Rows of equal length, generated when read. */
export interface LargeFile {
  readonly path: string;
  readonly rows: number;
  readonly rowBytes: number;
  /** Row without its line end; shorter rows are padded with blanks. */
  row(i: number): string;
}

export function withLargeFile(inner: FileSystem, { path, rows, rowBytes, row }: LargeFile): FileSystem {
  let place: string | null = path;
  let bytes: number = rows * rowBytes;
  let behind = Buffer.alloc(0);
  let last: { readonly i: number; readonly bytes: Buffer } | null = null;
  const rowAt = (i: number): Buffer => {
    if (last?.i !== i) {
      const made = Buffer.alloc(rowBytes, " ");
      if (made.write(row(i)) >= rowBytes) throw new Error(`row ${i} is longer than ${rowBytes} bytes`);
      made[rowBytes - 1] = 10;
      last = { i, bytes: made };
    }
    return last.bytes;
  };
  const read = (from: number, length: number): Buffer => {
    const parts: Buffer[] = [];
    const end = Math.min(bytes, from + length);
    for (let at = from; at < end;) {
      const within = at % rowBytes;
      const part = rowAt(Math.floor(at / rowBytes)).subarray(within, Math.min(rowBytes, within + end - at));
      parts.push(part);
      at += part.length;
    }
    const start = Math.max(0, from - bytes);
    return Buffer.concat([...parts, behind.subarray(start, Math.max(start, from + length - bytes))]);
  };
  const refuse = (name: string): never => {
    throw new Error(`${name} is too large to be read as a whole`);
  };
  return {
    ...inner,
    exists: async (name) => name === place || inner.exists(name),
    async list(name) {
      const names = (await inner.exists(name)) ? await inner.list(name) : [];
      const own = place?.startsWith(`${name}/`) ? place.slice(name.length + 1) : "";
      return own === "" || own.includes("/") ? names : [...names, own].toSorted();
    },
    read: async (name) => (name === place ? refuse(name) : inner.read(name)),
    size: async (name) => (name === place ? bytes + behind.length : inner.size(name)),
    digest: async (name) => (name === place ? refuse(name) : inner.digest(name)),
    readPart: async (name, from, length) => (name === place ? read(from, length) : inner.readPart(name, from, length)),
    async append(name, data) {
      if (name === place) behind = Buffer.concat([behind, Buffer.from(data as string)]);
      else await inner.append(name, data);
    },
    async truncate(name, length) {
      if (name !== place) return inner.truncate(name, length);
      behind = behind.subarray(0, Math.max(0, length - bytes));
      bytes = Math.min(bytes, length);
    },
    async rename(from, to) {
      if (from === place) place = to;
      else await inner.rename(from, to);
    },
    async remove(name) {
      if (name === place) place = null;
      else await inner.remove(name);
    },
  };
}
