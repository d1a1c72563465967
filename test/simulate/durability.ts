import type { Random } from "../../packages/core/src/index.ts";
import type { DiskNode, FileNode, FolderNode } from "./disk-tree.ts";

/** A change of names that no sync has made durable yet. */
interface Change {
  readonly folders: readonly FolderNode[];
  apply(): void;
}

/**
 * What a loss of power leaves: of a file what was synced, and of what was appended since then a beginning of any length. A new, renamed or
 * removed name is durable once its folder is synced; of other changes of names the first so many have happened, since file
 * systems keep a journal of them. A rename is done or not.
 */
export class Durability {
  readonly #random: Random;
  #pending: Change[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** Names change in these folders. @param apply - does it to what is durable */
  changed(folders: readonly FolderNode[], apply: () => void): void {
    this.#pending.push({ folders, apply });
  }

  sync(node: DiskNode): void {
    if (node.kind === "file") {
      node.durable = node.bytes;
      node.floor = node.bytes.length;
      return;
    }
    const [own, others] = [[] as Change[], [] as Change[]];
    for (const each of this.#pending) (each.folders.includes(node) ? own : others).push(each);
    for (const each of own) each.apply();
    this.#pending = others;
  }

  syncNames(): void {
    for (const each of this.#pending) each.apply();
    this.#pending = [];
  }

  losePower(root: FolderNode): void {
    const survive = this.#random.integer(this.#pending.length + 1);
    for (const each of this.#pending.slice(0, survive)) each.apply();
    this.#pending = [];
    this.#restore(root);
  }

  #restore(node: FolderNode): void {
    node.entries.clear();
    for (const [name, each] of node.durable) {
      node.entries.set(name, each);
      if (each.kind === "folder") this.#restore(each);
      else this.#restoreFile(each);
    }
  }

  /** As it was, where it was cut off meanwhile, or what it was to be, up to a place behind what was never cut off. */
  #restoreFile(file: FileNode): void {
    const { durable, bytes, floor } = file;
    const isCut = durable !== null && floor < durable.length;
    if (isCut && this.#random.uniform() < 0.5) file.bytes = durable;
    else file.bytes = bytes.slice(0, floor + this.#random.integer(bytes.length - floor + 1));
    file.opened = 0;
    this.sync(file);
  }
}
