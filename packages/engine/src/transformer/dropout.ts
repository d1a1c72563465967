import { randomFromSeed, type Random } from "@laconic/core";
import type { Kernels, Tensor } from "../kernels/index.ts";
import type { PackedBatch } from "./packed-batch.ts";
import type { PrefixForest } from "./prefix-forest.ts";

export interface DropoutPass {
  readonly rate: number;
  readonly seed: string | number;
  readonly step: number;
  readonly batch: Pick<PackedBatch, "forest" | "selected">;
  /** Null if sequences share rows. */
  readonly numbers: readonly number[] | null;
}

/**
 * Dropout masks of adapter inputs. Each row has its own stream, so masks depend only on seed, step, projection and
 * row, not on recomputation, micro-batches or replicas. Rows are named by sequence and position, or by their tokens
 * if shared.
 */
export class Dropout {
  readonly #rate: number;
  readonly #random: Random;
  readonly #rows: readonly string[];
  readonly #selected: readonly string[];

  constructor({ rate, seed, step, batch, numbers }: DropoutPass) {
    this.#rate = rate;
    this.#random = randomFromSeed(seed).split("dropout").split(step);
    const { owners, positions } = batch.forest;
    this.#rows = numbers
      ? Array.from(positions, (position, n) => `${numbers[owners[n]!]} ${position}`)
      : prefixNames(batch.forest);
    this.#selected = Array.from(batch.selected, (row) => this.#rows[row]!);
  }

  /** [rows, width]: 0 for dropped inputs, otherwise 1 / (1 - rate). */
  mask(kernels: Kernels, projection: string, [count, width]: readonly number[]): Tensor {
    const [rows, columns] = [count === this.#rows.length ? this.#rows : this.#selected, width!];
    const scale = 1 / (1 - this.#rate);
    const ofProjection = this.#random.split(projection);
    const values = new Float32Array(rows.length * columns);
    rows.forEach((row, n) => {
      const stream = ofProjection.split(row);
      for (let i = n * columns; i < (n + 1) * columns; i++) values[i] = stream.uniform() < this.#rate ? 0 : scale;
    });
    return kernels.upload(values, [rows.length, columns]);
  }
}

/** Ids of the tokens up to each row: a 64-bit rolling hash (FNV-1a's step, twice). */
function prefixNames({ tokens, positions, offsets, parents }: PrefixForest): string[] {
  const [low, high] = [new Int32Array(tokens.length), new Int32Array(tokens.length)];
  parents.forEach((parent, segment) => {
    const [start, end] = [offsets[segment]!, offsets[segment + 1]!];
    let before = parent < 0 ? -1 : offsets[parent + 1]! - 1;
    for (let n = start; n < end; before = n++) {
      const token = tokens[n]!;
      low[n] = Math.imul((before < 0 ? 0x811c9dc5 : low[before]!) ^ token, 0x01000193);
      high[n] = Math.imul((before < 0 ? 0x9747b28c : high[before]!) ^ (token + 1), 0x5bd1e995);
    }
  });
  return Array.from(positions, (position, n) => `${low[n]} ${high[n]} ${position}`);
}
