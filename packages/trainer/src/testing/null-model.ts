import { raggedSelect } from "@laconic/core";
import type { PolicySnapshot, Ragged, SequenceLogProbs, TrainableModel, TrainingSequence } from "@laconic/core";
import type { Timer } from "@laconic/rewards";
import { nextTurn } from "../queue/paced.ts";

export interface NullModel extends TrainableModel {
  /** Snapshots created, and those not disposed. */
  readonly snapshots: number;
  readonly alive: number;
}

/** @param updateSeconds - per optimizer step */
export function nullModel(timer: Timer, updateSeconds: number): NullModel {
  const microBatch = 64;
  let step = 0;
  let snapshots = 0;
  let alive = 0;
  const forward = async (sequences: readonly TrainingSequence[]): Promise<SequenceLogProbs> => {
    const offsets = new Int32Array(sequences.length + 1);
    sequences.forEach(({ completionTokens: { length } }, s) => (offsets[s + 1] = (offsets[s] as number) + length));
    const filled = (value: number): Ragged => ({
      values: new Float64Array(offsets.at(-1) as number).fill(value),
      offsets,
    });
    const seen = { logProbs: filled(-1), entropy: filled(1) };
    await nextTurn(timer); // like a remote model
    return seen;
  };
  const sampler = { sample: async () => [], forward };
  return {
    id: "null",
    parameters: 1,
    trainableParameters: 1,
    contextLength: Infinity,
    get weightVersion() {
      return step;
    },
    get snapshots() {
      return snapshots;
    },
    get alive() {
      return alive;
    },
    ...sampler,
    async forwardBackward(sequences, tokenGradient) {
      const seen = await forward(sequences);
      for (let from = 0; from < sequences.length; from += microBatch) {
        const rows = sequences.map((_, row) => row).slice(from, from + microBatch);
        tokenGradient(raggedSelect(seen.logProbs, rows), rows);
        await nextTurn(timer);
      }
      return seen;
    },
    async optimStep() {
      await new Promise<void>((go) => void timer.after(updateSeconds * 1000, go));
      step += 1;
      return { gradNorm: 1, applied: true, step };
    },
    async snapshot(): Promise<PolicySnapshot> {
      [snapshots, alive] = [snapshots + 1, alive + 1];
      return { weightVersion: step, ...sampler, dispose: async () => void (alive -= 1) };
    },
    save: async () => [],
    load: async () => undefined,
    dispose: async () => undefined,
  };
}
