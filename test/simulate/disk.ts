import type { Random } from "../../packages/core/src/index.ts";
import { diskRoot, DiskTree, partsOf, refused, type DiskNode, type FileNode, type FolderNode } from "./disk-tree.ts";
import { Durability } from "./durability.ts";

/** A disk as POSIX promises it: what is written is seen at once, and lasts once it is synced. */
export class Disk extends DiskTree {
  readonly #random: Random;
  readonly #durability: Durability;
  #fullUntil = -1;

  constructor(random: Random) {
    super();
    this.#random = random;
    this.#durability = new Durability(random);
  }

  isFull(event: number): boolean {
    return event < this.#fullUntil;
  }
  /** No room up to an event; there is again from 0 on. */
  fillUntil(event: number): void {
    this.#fullUntil = event;
  }

  /** The file, which is made where it is not there. */
  open(
    path: string,
    {
      create = false,
      truncate = false,
      exclusive = false,
    }: { readonly create?: boolean; readonly truncate?: boolean; readonly exclusive?: boolean } = {},
  ): FileNode {
    const found = this.find(path);
    if (found && exclusive) throw refused("EEXIST", path);
    if (!found && !create) throw refused("ENOENT", path);
    if (found) {
      const file = this.file(path);
      if (truncate) this.cut(file, 0);
      return file;
    }
    const node = this.newFile();
    this.#link(path, node);
    return node;
  }

  /** @returns the first that was made; undefined where all were there */
  makeFolder(path: string, isDeep: boolean): string | undefined {
    const parts = partsOf(path);
    let first: string | undefined;
    for (let i = 1; i <= parts.length; i++) {
      const each = `${diskRoot}/${parts.slice(0, i).join("/")}`;
      const node = this.find(each);
      if (node?.kind === "file") throw refused("EEXIST", each);
      if (node && i === parts.length && !isDeep) throw refused("EEXIST", each);
      if (!node && i < parts.length && !isDeep) throw refused("ENOENT", each);
      if (node) continue;
      this.#link(each, this.newFolder());
      first ??= each;
    }
    return first;
  }

  /** A second name for a file. */
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
    this.#durability.changed([left, right], () => {
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
    this.#durability.changed([parent], () => void (parent.durable.get(name) === node && parent.durable.delete(name)));
  }

  append(file: FileNode, bytes: Uint8Array): void {
    this.write(file, file.bytes.length, bytes);
  }

  /** Bytes from a place on; what lies between the file's end and it is zero. */
  write(file: FileNode, at: number, bytes: Uint8Array): void {
    const written = new Uint8Array(Math.max(file.bytes.length, at + bytes.length));
    written.set(file.bytes);
    written.set(bytes, at);
    file.bytes = written;
    file.floor = Math.min(file.floor, at);
  }

  cut(file: FileNode, length: number): void {
    const cut = new Uint8Array(length);
    cut.set(file.bytes.subarray(0, length));
    file.bytes = cut;
    file.floor = Math.min(file.floor, length);
  }

  sync(node: DiskNode): void {
    this.#durability.sync(node);
  }

  /** Everything that is there is durable: where a scenario begins. */
  syncAll(): void {
    this.#durability.syncNames();
    for (const [, file] of this.files()) this.sync(file);
  }

  /** Files at or below a path that a loss of power could take now, or cut, or leave as they were. */
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

  /** What a loss of power would surely leave of a file; null where it could take the file. */
  safeBytes(path: string): Uint8Array | null {
    let node: DiskNode = this.root;
    for (const part of partsOf(path)) {
      const next: DiskNode | undefined = node.kind === "folder" ? node.durable.get(part) : undefined;
      if (!next || (node.kind === "folder" && node.entries.get(part) !== next)) return null;
      node = next;
    }
    return node.kind === "file" ? node.durable : null;
  }

  losePower(): void {
    this.#durability.losePower(this.root);
  }

  /** Turns a bit of a closed file whose path has this part; of none where there is none. */
  rot(part: string): void {
    const files = [...this.files()].filter(
      ([path, { bytes, opened }]) => path.includes(part) && bytes.length > 0 && opened === 0,
    );
    const chosen = files[this.#random.integer(Math.max(1, files.length))];
    if (!chosen) return;
    const [, file] = chosen;
    const bytes = Uint8Array.from(file.bytes);
    const at = this.#random.integer(bytes.length);
    bytes[at] = (bytes[at] as number) ^ (1 << this.#random.integer(8));
    file.bytes = bytes;
    this.sync(file);
  }

  #link(path: string, node: DiskNode): void {
    const [parent, name] = this.place(path);
    parent.entries.set(name, node);
    this.#durability.changed([parent], () => void parent.durable.set(name, node));
  }
}

function isDurable({ durable, bytes }: FileNode): boolean {
  return durable !== null && Buffer.compare(durable, bytes) === 0;
}
