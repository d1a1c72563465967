import { randomFromSeed, type Random } from "@laconic/core";
import type { Kernels, Tensor } from "../kernels/index.ts";
import type { PackedBatch } from "./packed-batch.ts";
import type { PrefixForest } from "./prefix-forest.ts";

type RowIdentity = string;

/** Which pass masks are for. */
export interface DropoutPass {
  readonly rate: number;
  readonly seed: string | number;
  readonly step: number;
  readonly batch: Pick<PackedBatch, "forest" | "selected">;
  /** Of each sequence, its number since the last optimiser step; null where sequences share rows. */
  readonly numbers: readonly number[] | null;
}

/**
 * Masks of the adapters' inputs in one training pass. Each row of each projection draws from its own stream, so that a mask depends on
 * nothing but seed, step, projection and row: recomputation, micro-batches and replicas all see the same. A row is a
 * sequence and a position, or, where sequences share rows, the tokens up to it: equal beginnings have one mask.
 */
export class Dropout {
  readonly #rate: number;
  readonly #random: Random;
  readonly #rows: readonly RowIdentity[];
  /** Those that are left behind the last layer's attention. */
  readonly #wanted: readonly RowIdentity[];

  constructor({ rate, seed, step, batch, numbers }: DropoutPass) {
    this.#rate = rate;
    this.#random = randomFromSeed(seed).split("dropout").split(step);
    const { owners, positions } = batch.forest;
    this.#rows = numbers
      ? Array.from(positions, (position, n) => `${numbers[owners[n] as number]} ${position}`)
      : prefixNames(batch.forest);
    this.#wanted = Array.from(batch.selected, (row) => this.#rows[row] as RowIdentity);
  }

  /** For a projection's input [rows, width]: 0 where it is dropped, 1 / (1 - rate) elsewhere. */
  mask(kernels: Kernels, projection: string, [count, width]: readonly number[]): Tensor {
    const [rows, columns] = [count === this.#rows.length ? this.#rows : this.#wanted, width as number];
    const kept = 1 / (1 - this.#rate);
    const ofProjection = this.#random.split(projection);
    const values = new Float32Array(rows.length * columns);
    rows.forEach((row, n) => {
      const stream = ofProjection.split(row);
      for (let i = n * columns; i < (n + 1) * columns; i++) values[i] = stream.uniform() < this.#rate ? 0 : kept;
    });
    return kernels.upload(values, [rows.length, columns]);
  }
}

/** A name for the tokens up to each row: 64 bits of a hash that goes on from token to token (FNV-1a's step, twice). */
function prefixNames({ tokens, positions, offsets, parents }: PrefixForest): string[] {
  const [low, high] = [new Int32Array(tokens.length), new Int32Array(tokens.length)];
  parents.forEach((parent, segment) => {
    const [start, end] = [offsets[segment] as number, offsets[segment + 1] as number];
    let before = parent < 0 ? -1 : (offsets[parent + 1] as number) - 1;
    for (let n = start; n < end; before = n++) {
      const token = tokens[n] as number;
      low[n] = Math.imul((before < 0 ? 0x811c9dc5 : (low[before] as number)) ^ token, 0x01000193);
      high[n] = Math.imul((before < 0 ? 0x9747b28c : (high[before] as number)) ^ (token + 1), 0x5bd1e995);
    }
  });
  return Array.from(positions, (position, n) => `${low[n]} ${high[n]} ${position}`);
}
