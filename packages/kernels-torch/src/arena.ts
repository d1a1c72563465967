import { sizeOf } from "@laconic/engine/kernels";
import type { Handle, Torch } from "./native/torch.ts";
import type { ScalarType } from "./native/scalar-type.ts";

/** Alignment of pieces in elements, at least 512 bytes. */
const alignment = 256;

export interface Placement {
  readonly arena: Arena;
  readonly start: number;
  /** End of the tensor and its padding. */
  readonly end: number;
}

/** Unit of arena lengths. Float32 sums per block are more precise than one long sum. */
export const blockLength = 4096;

/** One allocation, freed with its last piece. */
export class Arena {
  readonly length: number;
  readonly #torch: Torch;
  readonly whole: Handle;
  readonly #views = new Map<string, Handle>();
  #pieces: number;

  private constructor(torch: Torch, whole: Handle, length: number, pieces: number) {
    this.#torch = torch;
    this.whole = whole;
    this.length = length;
    this.#pieces = pieces;
  }

  /** Allocates zero tensors in one arena. Padding stays zero under operations on whole ranges. */
  static places(torch: Torch, shapes: readonly (readonly number[])[], type: ScalarType): Placement[] {
    const ends: number[] = [];
    let length = 0;
    for (const [i, shape] of shapes.entries()) {
      length = roundUp(length + sizeOf(shape), i + 1 === shapes.length ? blockLength : alignment);
      ends.push(length);
    }
    const whole = torch.apart(() => torch.full([length], type, 0));
    const arena = new Arena(torch, whole, length, shapes.length);
    return ends.map((end, i) => ({ arena, start: ends[i - 1] ?? 0, end }));
  }

  view(start: number, shape: readonly number[]): Handle {
    const key = `${start} ${shape.join()}`;
    let view = this.#views.get(key);
    if (view === undefined) {
      view = this.#torch.apart(() => this.#torch.view(this.whole, shape, undefined, start));
      this.#views.set(key, view);
    }
    return view;
  }

  leave(): boolean {
    this.#pieces -= 1;
    if (this.#pieces > 0) return false;
    for (const view of this.#views.values()) this.#torch.delete(view);
    this.#torch.delete(this.whole);
    return true;
  }
}

/** `placement` is null outside arenas. */
export interface Vector {
  readonly handle: Handle;
  readonly length: number;
  readonly placement: Placement | null;
}

/**
 * Merges rows that are adjacent in memory in every column.
 * @param table - rows of vectors of equal length, such as a parameter, its gradient and its moments
 */
export function stretches(torch: Torch, table: readonly (readonly Vector[])[]): Stretch[] {
  const ordered = table.toSorted(([a], [b]) => (a?.placement?.start ?? 0) - (b?.placement?.start ?? 0));
  const groups: { readonly first: readonly Vector[]; last: readonly Vector[] }[] = [];
  for (const row of ordered) {
    const group = groups.find(({ last }) => follows(last, row));
    if (group) group.last = row;
    else groups.push({ first: row, last: row });
  }
  return groups.map(({ first, last }) => {
    if (!first.every(isPlaced)) {
      const { length } = first[0]!;
      return { length, view: (column, shape = [length]) => torch.view(first[column]!.handle, shape) };
    }
    // Arenas differ only in the zeros at the end.
    const length = Math.min(...first.map(({ placement }, column) => endOf(last, column) - placement.start));
    const view: Stretch["view"] = (column, shape = [length]) => {
      const { arena, start } = first[column]!.placement;
      return arena.view(start, shape);
    };
    return { length, view };
  });
}

export interface Stretch {
  readonly length: number;
  /** A column's vector, or its first elements in another shape. */
  view(column: number, shape?: readonly number[]): Handle;
}

type PlacedVector = Vector & { readonly placement: Placement };

function isPlaced(vector: Vector): vector is PlacedVector {
  return vector.placement !== null;
}

function endOf(row: readonly Vector[], column: number): number {
  return (row[column] as PlacedVector).placement.end;
}

function follows(before: readonly Vector[], row: readonly Vector[]): boolean {
  return row.every((vector, column) => {
    const last = before[column]!.placement;
    return vector.placement !== null && vector.placement.arena === last?.arena && vector.placement.start === last.end;
  });
}

function roundUp(length: number, multiple: number): number {
  return Math.ceil(length / multiple) * multiple;
}
