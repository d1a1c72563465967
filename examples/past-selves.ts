/**
 * The self-play of `self-play.ts` with an opponent pool: a past proposer sets the problem in half of the games. Against
 * only the newest proposer, a solver may forget how to answer earlier ones.
 *
 *     npm run -s laconic -- train examples/past-selves.ts --run runs/past-selves
 *     npm run -s laconic -- train examples/past-selves.ts --run runs/latest-self train.opponents=null
 */
import type { Matchmaking } from "@laconic/core";
import { defineRun, type RunDefinition, type TrainDefinition } from "@laconic/cli";
import { settings, task } from "./self-play.ts";

/** The opponent with the lowest win rate in two of three games, else a random one. Similar to `matchmaking: "hard"`. */
export const hardest: Matchmaking = ({ pool, random }) => {
  const [worst] = pool.toSorted((a, b) => a.winRate - b.winRate);
  const anybody = pool[random.integer(pool.length)];
  return (random.integer(3) < 2 ? worst : anybody)?.name ?? "";
};

/** The pool has past proposers. Solvers always learn; proposers learn in the other half of the games. */
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
