import { randomFromSeed, type Random, type TrainingSequence } from "@laconic/core";
import type { Kernels, Tensor } from "@laconic/kernels";

/** A packed row by what it is, wherever it was packed. */
type RowIdentity = `${number} ${number}`;

/** Which pass masks are for. */
export interface DropoutPass {
  /** Part of the inputs that is set to 0. */
  readonly rate: number;
  readonly seed: string | number;
  /** Optimiser steps taken. */
  readonly step: number;
  readonly sequences: readonly TrainingSequence[];
  /** Of each sequence, its number since the last optimiser step. */
  readonly numbers: readonly number[];
}

/**
 * Masks of the adapters' inputs in one training pass. Each row of each projection draws from its own stream, so that a mask depends on
 * nothing but seed, step, sequence, position and projection: recomputation, micro-batches and replicas all see the same.
 */
export class Dropout {
  readonly #rate: number;
  readonly #random: Random;
  readonly #rows: RowIdentity[] = [];
  /** Those that are left behind the last layer's attention. */
  readonly #wanted: RowIdentity[] = [];

  constructor({ rate, seed, step, sequences, numbers }: DropoutPass) {
    this.#rate = rate;
    this.#random = randomFromSeed(seed).split("dropout").split(step);
    sequences.forEach(({ promptTokens, completionTokens }, s) => {
      if (completionTokens.length === 0) return;
      for (let position = 0; position + 1 < promptTokens.length + completionTokens.length; position++) {
        const row: RowIdentity = `${numbers[s] as number} ${position}`;
        this.#rows.push(row);
        if (position + 1 >= promptTokens.length) this.#wanted.push(row);
      }
    });
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
