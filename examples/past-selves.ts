/**
 * The self-play of `self-play.ts` with a pool: in half of the games a past proposer sets the problem. A solver that meets the newest
 * proposer alone need only know its newest trick, and may forget what answered the ones before.
 *
 *     npm run -s laconic -- train examples/past-selves.ts --run runs/past-selves
 *     npm run -s laconic -- train examples/past-selves.ts --run runs/latest-self train.opponents=null
 */
import type { Matchmaking } from "@laconic/core";
import { defineRun, type RunDefinition, type TrainDefinition } from "laconic";
import { settings, task } from "./self-play.ts";

/** Whom the solver beats least often, two times of three; else anybody. `matchmaking: "hard"` is much like it. */
export const hardest: Matchmaking = ({ pool, random }) => {
  const [worst] = pool.toSorted((a, b) => a.winRate - b.winRate);
  const anybody = pool[random.integer(pool.length)];
  return (random.integer(3) < 2 ? worst : anybody)?.name ?? "";
};

/** Proposers are played, solvers always learn; proposers learn in the other half of the games. */
export const opponents: NonNullable<TrainDefinition["opponents"]> = {
  sides: [["proposer"]],
  latest: 0.5,
  every: 5,
  keep: 6,
  drop: "spread",
  matchmaking: hardest,
  against: ["pool"],
};

const run: RunDefinition = defineRun({ task, policies: "own", device: "wasm", train: { ...settings, opponents } });
export default run;
