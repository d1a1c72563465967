import { cli } from "./laconic.ts";

export const smallRun: readonly string[] = cli`preset:relay-quickstart train.steps=2 train.problemsPerStep=2
  train.episodesPerProblem=2 train.evaluation.problems=10 train.evaluation.every=0 train.evaluation.transcripts=1
  train.checkpoint.every=1`;
