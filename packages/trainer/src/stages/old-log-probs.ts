import { statisticOf, type Ragged, type Sampler, type Statistic } from "@laconic/core";
import type { TrainConfig } from "../config.ts";
import type { TrainingBatch } from "./training-batch.ts";

/** log π_old of a batch. */
export interface OldLogProbs {
  readonly logProbs: Ragged;
  /** |trainer's - sampler's| log π_old per token: 0 where both run the same kernels. */
  readonly gap: Statistic;
}

/** Sequences forwarded to measure the gap when the sampler's log-probs are taken. */
const probes = 8;

/** The trainer's forward pass under the old policy, or what the sampler reported, checked on a few sequences. */
export async function oldLogProbsOf(
  config: TrainConfig,
  oldPolicy: Sampler,
  batch: TrainingBatch,
): Promise<OldLogProbs> {
  const sampled = batch.sampledLogProbs;
  const trusted = config.oldLogProbs === "sampler";
  const forwarded = await oldPolicy.forward(trusted ? batch.sequences.slice(0, probes) : batch.sequences);
  return { logProbs: trusted ? sampled : forwarded.logProbs, gap: gapBetween(forwarded.logProbs, sampled) };
}

function gapBetween({ values }: Ragged, sampled: Ragged): Statistic {
  const differences = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++)
    differences[i] = Math.abs((values[i] as number) - (sampled.values[i] as number));
  return statisticOf(differences);
}
