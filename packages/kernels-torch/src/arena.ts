import { sizeOf, type Precision } from "@laconic/kernels";
import type { Handle, Torch } from "./native/torch.ts";
import type { ScalarType } from "./native/scalar-type.ts";
import type { TensorStore, TorchTensor } from "./tensors.ts";

/** Pieces start at multiples of it, in elements: 512 bytes or more, as the device's own allocations do. */
const alignment = 256;

/** Where a tensor lies. */
export interface Placement {
  readonly arena: Arena;
  /** Its first element. */
  readonly start: number;
}

/** One allocation, and views of stretches of it. It goes when the last of its pieces does. */
export class Arena {
  readonly length: number;
  readonly #torch: Torch;
  readonly #whole: Handle;
  readonly #views = new Map<string, Handle>();
  #pieces: number;

  private constructor(torch: Torch, whole: Handle, length: number, pieces: number) {
    this.#torch = torch;
    this.#whole = whole;
    this.length = length;
    this.#pieces = pieces;
  }

  /** Tensors of zeros one after the other. What lies between them stays zero through every operation on whole stretches. */
  static pieces(
    torch: Torch,
    store: TensorStore,
    shapes: readonly (readonly number[])[],
    type: ScalarType,
    precision: Precision,
  ): TorchTensor[] {
    const starts: number[] = [];
    let length = 0;
    for (const shape of shapes) {
      starts.push(length);
      length += padded(sizeOf(shape));
    }
    const whole = torch.apart(() => torch.full([length], type, 0));
    const arena = new Arena(torch, whole, length, shapes.length);
    return shapes.map((shape, i) => {
      const start = starts[i] as number;
      const handle = torch.run(() => torch.view(whole, shape, undefined, start));
      const piece = store.adoptFloats(handle, shape, precision);
      piece.placement = { arena, start };
      return piece;
    });
  }

  /** Elements from `start` to `end` as a vector; views are kept, since the same ones are wanted at every step. */
  view(start: number, end: number): Handle {
    const key = `${start} ${end}`;
    let view = this.#views.get(key);
    if (view === undefined) {
      view = this.#torch.apart(() => this.#torch.view(this.#whole, [end - start], undefined, start));
      this.#views.set(key, view);
    }
    return view;
  }

  /** One piece is freed. */
  leave(): void {
    this.#pieces -= 1;
    if (this.#pieces > 0) return;
    for (const view of this.#views.values()) this.#torch.delete(view);
    this.#torch.delete(this.#whole);
  }
}

/** A tensor as a vector: its contiguous memory, and where it lies if that is in an arena. */
export interface Vector {
  readonly handle: Handle;
  readonly length: number;
  readonly placement: Placement | null;
}

/**
 * The rows of a table of vectors, as few and as long as possible: what follows one another in an arena, in every column of
 * the table, is one vector. Every other row stays as it is.
 *
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
    const length = (first[0] as Vector).length;
    if (!first.every(isPlaced))
      return { vectors: first.map(({ handle }) => torch.view(handle, [length])), length };
    const vectors = first.map(({ placement }, column) =>
      placement.arena.view(placement.start, endOf((last as readonly PlacedVector[])[column] as PlacedVector)),
    );
    return { vectors, length: endOf(last[0] as PlacedVector) - (first[0] as PlacedVector).placement.start };
  });
}

/** Vectors of one length, one of every column. */
export interface Stretch {
  readonly vectors: readonly Handle[];
  readonly length: number;
}

type PlacedVector = Vector & { readonly placement: Placement };

function isPlaced(vector: Vector): vector is PlacedVector {
  return vector.placement !== null;
}

/** Whether each vector of a row lies directly behind the one of the same column. */
function follows(before: readonly Vector[], row: readonly Vector[]): boolean {
  return row.every((vector, column) => {
    const last = before[column] as Vector;
    return isPlaced(vector) && isPlaced(last) && vector.placement.arena === last.placement.arena && vector.placement.start === endOf(last);
  });
}

/** First element behind a piece, where the next one of its arena starts. */
function endOf({ length, placement }: PlacedVector): number {
  return placement.start + padded(length);
}

function padded(length: number): number {
  return Math.ceil(length / alignment) * alignment;
}
