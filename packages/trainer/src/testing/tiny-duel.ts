import type { Problem, Reward } from "@laconic/core";
import { synchronousTurns, type JointGame, type TrainingTask } from "@laconic/topologies";
import { onePolicy, type TrainedPolicy, type TrainingParts } from "../spec/parts.ts";
import { tabularModel } from "./tabular-model.ts";
import { tabularPolicy } from "./tabular-policy.ts";
import { player } from "./tiny-pair.ts";
import { tinyTokenizer } from "./tiny-task.ts";

const letters = "abc";

/**
 * Rock, paper, scissors: `a` beats `b`, `b` beats `c`, `c` beats `a`. A reply without a letter loses to one with a
 * letter.
 */
const reward: Reward = ({ outputs = {} }) => {
  const [left, right] = ["left", "right"].map((id) => letters.indexOf(outputs[id]?.charAt(0) || "?"));
  const [l, r] = [left ?? -1, right ?? -1];
  const won = l < 0 || r < 0 ? Math.sign(l < 0 ? (r < 0 ? 0 : -1) : 1) : [0, 1, -1][(r - l + 3) % 3];
  const win = won ?? 0;
  return { team: {}, agents: { left: { win }, right: { win: -win } }, score: (win + 1) / 2 };
};

const game: JointGame = { players: [player("left"), player("right")], turns: 1, transition: () => ["?", "?"] };

const problem = (id: string): Problem => ({ id, question: "?", gold: "" });

const task: TrainingTask & { readonly reward: Reward } = {
  name: "tiny-duel",
  topology: synchronousTurns(game.players, game),
  game,
  reward,
  problems: (_, count) => Array.from({ length: count }, (__, i) => problem(`train-${i}`)),
  testProblems: Array.from({ length: 12 }, (_, i) => problem(`validation-${i}`)),
};

/** Rock, paper, scissors with one shared table of logits, or one table per player. */
export function tinyDuelParts(policies: "shared" | "own" = "shared"): TrainingParts {
  const policy = (id: string, agents: readonly string[]): TrainedPolicy => ({
    model: tabularModel({ vocabularySize: tinyTokenizer.vocabularySize, id, seed: id }),
    speak: (sampler) => tabularPolicy(sampler, tinyTokenizer, id),
    agents,
  });
  if (policies === "own")
    return { task, policies: { left: policy("left", ["left"]), right: policy("right", ["right"]) } };
  const { model, speak } = policy("both", []);
  return onePolicy(task, model, speak);
}
