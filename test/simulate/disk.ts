import { resolve } from "node:path";
import type { Random } from "../../packages/core/src/index.ts";

export interface FileNode {
  readonly kind: "file";
  readonly id: number;
  bytes: Uint8Array;
  /** Content at the last sync; null before the first. */
  durable: Uint8Array | null;
  /** Min length since the last sync: bytes before it are unchanged. */
  floor: number;
  opened: number;
  modified: number;
}

export interface FolderNode {
  readonly kind: "folder";
  readonly id: number;
  readonly entries: Map<string, DiskNode>;
  /** Entries after a power loss. */
  durable: Map<string, DiskNode>;
}

export type DiskNode = FileNode | FolderNode;

/** Root of the simulated disk; Node handles all other paths. */
export const diskRoot = "/simulated";

interface Change {
  readonly folders: readonly FolderNode[];
  apply(): void;
}

/**
 * Disk with POSIX guarantees: writes are visible at once and durable after a sync. A power loss keeps a file's synced
 * content and any prefix of later appended bytes. Changed names are durable once their folder is synced. Of the other
 * name changes, a prefix in order survives, as in journaling file systems. Renames are atomic.
 */
export class Disk {
  readonly root: FolderNode = { kind: "folder", id: 0, entries: new Map(), durable: new Map() };
  readonly #random: Random;
  #ids = 0;
  #fullUntil = -1;
  #pending: Change[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  newFile(): FileNode {
    const id = (this.#ids += 1);
    return { kind: "file", id, bytes: new Uint8Array(), durable: null, floor: 0, opened: 0, modified: 0 };
  }

  newFolder(): FolderNode {
    return { kind: "folder", id: (this.#ids += 1), entries: new Map(), durable: new Map() };
  }

  find(path: string): DiskNode | null {
    let node: DiskNode = this.root;
    for (const part of partsOf(path)) {
      if (node.kind !== "folder") return null;
      const next = node.entries.get(part);
      if (!next) return null;
      node = next;
    }
    return node;
  }

  /** @throws ENOENT, ENOTDIR or EISDIR like Node */
  file(path: string): FileNode {
    const node = this.find(path);
    if (!node) throw refused("ENOENT", path);
    if (node.kind !== "file") throw refused("EISDIR", path);
    return node;
  }

  folder(path: string): FolderNode {
    const node = this.find(path);
    if (!node) throw refused("ENOENT", path);
    if (node.kind !== "folder") throw refused("ENOTDIR", path);
    return node;
  }

  place(path: string): readonly [FolderNode, string] {
    const parts = partsOf(path);
    const name = parts.pop();
    if (name === undefined) throw refused("EPERM", path);
    return [this.folder([diskRoot, ...parts].join("/")), name];
  }

  *files(path: string = diskRoot): Generator<readonly [path: string, file: FileNode]> {
    const node = this.find(path);
    if (node?.kind !== "folder") return;
    for (const [name, diskNode] of [...node.entries].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      if (diskNode.kind === "file") yield [name, diskNode];
      else for (const [below, file] of this.files(`${path}/${name}`)) yield [`${name}/${below}`, file];
  }

  isFull(event: number): boolean {
    return event < this.#fullUntil;
  }
  /** The disk is full up to this event; 0 frees it. */
  fillUntil(event: number): void {
    this.#fullUntil = event;
  }

  open(
    path: string,
    {
      create = false,
      truncate = false,
      exclusive = false,
    }: { readonly create?: boolean; readonly truncate?: boolean; readonly exclusive?: boolean } = {},
  ): FileNode {
    const diskNode = this.find(path);
    if (diskNode && exclusive) throw refused("EEXIST", path);
    if (!diskNode && !create) throw refused("ENOENT", path);
    if (diskNode) {
      const file = this.file(path);
      if (truncate) this.cut(file, 0);
      return file;
    }
    const node = this.newFile();
    this.#link(path, node);
    return node;
  }

  /** @returns the first created folder; undefined if all exist */
  makeFolder(path: string, isDeep: boolean): string | undefined {
    const parts = partsOf(path);
    let first: string | undefined;
    for (let i = 1; i <= parts.length; i++) {
      const text = `${diskRoot}/${parts.slice(0, i).join("/")}`;
      const node = this.find(text);
      if (node?.kind === "file") throw refused("EEXIST", text);
      if (node && i === parts.length && !isDeep) throw refused("EEXIST", text);
      if (!node && i < parts.length && !isDeep) throw refused("ENOENT", text);
      if (node) continue;
      this.#link(text, this.newFolder());
      first ??= text;
    }
    return first;
  }

  link(from: string, to: string): void {
    const node = this.file(from);
    if (this.find(to)) throw refused("EEXIST", to);
    this.#link(to, node);
  }

  rename(from: string, to: string): void {
    const node = this.find(from);
    if (!node) throw refused("ENOENT", from);
    const old = this.find(to);
    if (old?.kind === "folder" && old.entries.size > 0) throw refused("ENOTEMPTY", to);
    const [[left, before], [right, after]] = [this.place(from), this.place(to)];
    left.entries.delete(before);
    right.entries.set(after, node);
    this.#changed([left, right], () => {
      if (left.durable.get(before) !== node) return;
      left.durable.delete(before);
      right.durable.set(after, node);
    });
  }

  remove(path: string, isDeep: boolean): void {
    const node = this.find(path);
    if (!node) throw refused("ENOENT", path);
    if (node.kind === "folder") {
      if (!isDeep && node.entries.size > 0) throw refused("ENOTEMPTY", path);
      for (const name of Array.from(node.entries.keys())) this.remove(`${path}/${name}`, true);
    }
    const [parent, name] = this.place(path);
    parent.entries.delete(name);
    this.#changed([parent], () => void (parent.durable.get(name) === node && parent.durable.delete(name)));
  }

  append(file: FileNode, bytes: Uint8Array): void {
    this.write(file, file.bytes.length, bytes);
  }

  /** Writes bytes at a position; fills a gap after the file's end with zeros. */
  write(file: FileNode, index: number, bytes: Uint8Array): void {
    const written = new Uint8Array(Math.max(file.bytes.length, index + bytes.length));
    written.set(file.bytes);
    written.set(bytes, index);
    file.bytes = written;
    file.floor = Math.min(file.floor, index);
  }

  cut(file: FileNode, length: number): void {
    const cut = new Uint8Array(length);
    cut.set(file.bytes.subarray(0, length));
    file.bytes = cut;
    file.floor = Math.min(file.floor, length);
  }

  /** Makes everything durable, for the start of a scenario. */
  syncAll(): void {
    for (const change of this.#pending) change.apply();
    this.#pending = [];
    for (const [, file] of this.files()) this.sync(file);
  }

  /** Files at or below a path that a power loss could remove or change. */
  unsafe(path: string): string[] {
    let folder: FolderNode = this.root;
    for (const part of partsOf(path)) {
      const node = folder.entries.get(part);
      if (node && folder.durable.get(part) !== node) return [path];
      if (node?.kind === "file") return isDurable(node) ? [] : [path];
      if (!node) return [];
      folder = node;
    }
    return [...folder.entries.keys()].flatMap((name) => this.unsafe(`${path}/${name}`));
  }

  /** Guaranteed content after a power loss; null if the file could be lost. */
  safeBytes(path: string): Uint8Array | null {
    let node: DiskNode = this.root;
    for (const part of partsOf(path)) {
      const next: DiskNode | undefined = node.kind === "folder" ? node.durable.get(part) : undefined;
      if (!next || (node.kind === "folder" && node.entries.get(part) !== next)) return null;
      node = next;
    }
    return node.kind === "file" ? node.durable : null;
  }

  /** Flips a bit of a closed file whose path contains this part, if any. */
  rot(part: string): void {
    const files = [...this.files()].filter(
      ([path, { bytes, opened }]) => path.includes(part) && bytes.length > 0 && opened === 0,
    );
    const chosen = files[this.#random.integer(Math.max(1, files.length))];
    if (!chosen) return;
    const [, file] = chosen;
    const bytes = Uint8Array.from(file.bytes);
    const index = this.#random.integer(bytes.length);
    bytes[index] = (bytes[index] as number) ^ (1 << this.#random.integer(8));
    file.bytes = bytes;
    this.sync(file);
  }

  #link(path: string, node: DiskNode): void {
    const [parent, name] = this.place(path);
    parent.entries.set(name, node);
    this.#changed([parent], () => void parent.durable.set(name, node));
  }

  /** Records a change of entries in these folders. @param apply - applies it to the durable entries */
  #changed(folders: readonly FolderNode[], apply: () => void): void {
    this.#pending.push({ folders, apply });
  }

  sync(node: DiskNode): void {
    if (node.kind === "file") {
      node.durable = node.bytes;
      node.floor = node.bytes.length;
      return;
    }
    const [changes, others] = [[] as Change[], [] as Change[]];
    for (const change of this.#pending) (change.folders.includes(node) ? changes : others).push(change);
    for (const change of changes) change.apply();
    this.#pending = others;
  }

  losePower(): void {
    const survive = this.#random.integer(this.#pending.length + 1);
    for (const change of this.#pending.slice(0, survive)) change.apply();
    this.#pending = [];
    this.#restore(this.root);
  }

  #restore(node: FolderNode): void {
    node.entries.clear();
    for (const [name, diskNode] of node.durable) {
      node.entries.set(name, diskNode);
      if (diskNode.kind === "folder") this.#restore(diskNode);
      else this.#restoreFile(diskNode);
    }
  }

  #restoreFile(file: FileNode): void {
    const { durable, bytes, floor } = file;
    const isCut = durable !== null && floor < durable.length;
    if (isCut && this.#random.uniform() < 0.5) file.bytes = durable;
    else file.bytes = bytes.slice(0, floor + this.#random.integer(bytes.length - floor + 1));
    file.opened = 0;
    this.sync(file);
  }
}

function isDurable({ durable, bytes }: FileNode): boolean {
  return durable !== null && Buffer.compare(durable, bytes) === 0;
}

function partsOf(path: string): string[] {
  return resolve(path)
    .slice(diskRoot.length)
    .split("/")
    .filter((part) => part !== "");
}

function refused(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: simulated, '${path}'`), { code, path });
}
