import type { ScalarType } from "./native/scalar-type.ts";
import type { Handle, Torch } from "./native/torch.ts";

export interface Block {
  readonly whole: Handle;
  readonly elements: number;
  readonly type: ScalarType;
  /** Views by shape, then by name. */
  readonly views: Map<string, Map<string, Handle>>;
  usedIn: number;
}

/** Rounding to a sixteenth of a power of two lets similar tensors share blocks. */
const steps = 16;

const maxShapes = 4;

/**
 * Memory of freed CPU tensors, because the system clears memory on reuse (a third of an update). Blocks never exceed
 * the peak usage.
 */
export class MemoryPool {
  readonly #torch: Torch;
  readonly #idle: Block[] = [];
  #idleElements = 0;
  #usedElements = 0;
  #maxElements = 0;
  #scope = 0;

  constructor(torch: Torch) {
    this.#torch = torch;
  }

  take(elements: number, type: ScalarType): Block {
    const wanted = sizeClass(elements);
    const index = this.#idle.findLastIndex((block) => block.elements === wanted && block.type === type);
    const [reused] = index < 0 ? [] : this.#idle.splice(index, 1);
    if (reused) this.#idleElements -= wanted;
    else this.#makeRoom(wanted);
    const block = reused ?? {
      elements: wanted,
      type,
      views: new Map<string, Map<string, Handle>>(),
      usedIn: 0,
      whole: this.#torch.apart(() => this.#torch.empty([wanted], type)),
    };
    block.usedIn = this.#scope;
    this.#usedElements += wanted;
    this.#maxElements = Math.max(this.#maxElements, this.#usedElements);
    return block;
  }

  give(block: Block): void {
    this.#usedElements -= block.elements;
    this.#idleElements += block.elements;
    this.#idle.push(block);
  }

  viewsOf(block: Block, shape: readonly number[]): Map<string, Handle> {
    const key = shape.join();
    let views = block.views.get(key);
    if (views === undefined) {
      for (const [oldest, its] of block.views) {
        if (block.views.size < maxShapes) break;
        this.#deleteAll(its);
        block.views.delete(oldest);
      }
      views = new Map([["", this.#torch.apart(() => this.#torch.view(block.whole, shape))]]);
      block.views.set(key, views);
    }
    return views;
  }

  /** Ends an outermost scope: frees blocks unused in it and the previous one. */
  age(): void {
    const old = this.#idle.filter(({ usedIn }) => usedIn < this.#scope - 1);
    for (const block of old) this.#drop(block);
    this.#scope += 1;
  }

  clear(): void {
    for (const block of Array.from(this.#idle)) this.#drop(block);
    this.#maxElements = this.#usedElements;
  }

  #makeRoom(elements: number): void {
    const most = Math.max(this.#maxElements, this.#usedElements + elements);
    while (this.#usedElements + this.#idleElements + elements > most) this.#drop(this.#idle[0]!);
  }

  #drop(block: Block): void {
    this.#idle.splice(this.#idle.indexOf(block), 1);
    this.#idleElements -= block.elements;
    for (const views of block.views.values()) this.#deleteAll(views);
    this.#torch.delete(block.whole);
  }

  #deleteAll(views: ReadonlyMap<string, Handle>): void {
    for (const view of views.values()) this.#torch.delete(view);
  }
}

export function sizeClass(elements: number): number {
  const step = Math.max(1, 2 ** Math.floor(Math.log2(Math.max(1, elements)))) / steps;
  return step < 1 ? elements : Math.ceil(elements / step) * step;
}
