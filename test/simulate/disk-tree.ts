import { resolve } from "node:path";

/** A file's bytes as programs see them, and as they are after a loss of power. */
export interface FileNode {
  readonly kind: "file";
  readonly id: number;
  bytes: Uint8Array;
  /** As of its last sync; null before the first. */
  durable: Uint8Array | null;
  /** The least length that it had since its last sync: what precedes it is as it was then. */
  floor: number;
  opened: number;
  modified: number;
}

export interface FolderNode {
  readonly kind: "folder";
  readonly id: number;
  readonly entries: Map<string, DiskNode>;
  /** Names that a loss of power leaves. */
  durable: Map<string, DiskNode>;
}

export type DiskNode = FileNode | FolderNode;

/** Where the simulated disk lies: paths below are its own, all others are Node's. */
export const diskRoot = "/simulated";

/** Files and folders by their paths, which errors name as Node's do. */
export class DiskTree {
  readonly root: FolderNode = { kind: "folder", id: 0, entries: new Map(), durable: new Map() };
  #ids = 0;

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

  /** @throws as Node does: ENOENT, ENOTDIR, EISDIR */
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

  /** The folder that a path's last name is in, and that name. */
  place(path: string): readonly [FolderNode, string] {
    const parts = partsOf(path);
    const name = parts.pop();
    if (name === undefined) throw refused("EPERM", path);
    return [this.folder([diskRoot, ...parts].join("/")), name];
  }

  /** Every file below a folder, by its path from there, in order. */
  *files(path: string = diskRoot): Generator<readonly [path: string, file: FileNode]> {
    const node = this.find(path);
    if (node?.kind !== "folder") return;
    for (const [name, each] of [...node.entries].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      if (each.kind === "file") yield [name, each];
      else for (const [below, file] of this.files(`${path}/${name}`)) yield [`${name}/${below}`, file];
  }
}

/** Behind the root. */
export function partsOf(path: string): string[] {
  return resolve(path)
    .slice(diskRoot.length)
    .split("/")
    .filter((part) => part !== "");
}

export function refused(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: simulated, '${path}'`), { code, path });
}
