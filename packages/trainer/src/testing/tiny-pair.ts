import type { Problem, Reward } from "@laconic/core";
import { synchronousTurns, type JointGame, type Player, type TrainingTask } from "@laconic/topologies";
import type { TrainedPolicy, TrainingParts } from "../spec/parts.ts";
import { tabularModel } from "./tabular-model.ts";
import { tabularPolicy } from "./tabular-policy.ts";
import { tinyTokenizer } from "./tiny-task.ts";

const letters = ["a", "b", "c"];

/** Writes after the last message. */
export const player = (id: string): Player => ({
  id,
  maxTokens: 2,
  prompt: (chat) => ({ kind: "text", text: chat.at(-1)?.content ?? "" }),
});

/**
 * Two writers with a shared grade: `first` names the letter of a digit, `second` the next letter, for half of the grade
 * each. With one turn, the digit is in the prompt. With two, the first turn asks `?` and the second shows the right
 * answer.
 */
export function tinyPairTask(turns: 1 | 2 = 1): TrainingTask & { readonly reward: Reward } {
  const game: JointGame = {
    players: [player("first"), player("second")],
    turns,
    transition: ({ question, gold }, history) => {
      const asked = turns === 1 ? question : history.length === 0 ? "?" : (gold[0] ?? "").toUpperCase();
      return [asked, asked];
    },
  };
  const problem = (kind: number, id: string): Problem => ({
    id,
    question: String(kind),
    gold: `${letters[kind]}${letters[(kind + 1) % 3]}`,
  });
  return {
    name: "tiny-pair",
    topology: synchronousTurns(game.players, game),
    game,
    reward: ({ outputs = {} }, { gold }) => ({
      task: game.players.filter(({ id }, i) => outputs[id]?.[0] === gold[i]).length / 2,
    }),
    problems: (random, count) => Array.from({ length: count }, (_, i) => problem(random.integer(3), `train-${i}`)),
    testProblems: Array.from({ length: 30 }, (_, i) => problem(i % 3, `validation-${i}`)),
  };
}

/** The pair task with one table of logits per writer. */
export function tinyPairParts(turns: 1 | 2 = 1): TrainingParts & { readonly task: ReturnType<typeof tinyPairTask> } {
  const policy = (agent: string): TrainedPolicy => ({
    model: tabularModel({ vocabularySize: tinyTokenizer.vocabularySize, id: agent, seed: agent }),
    speak: (sampler) => tabularPolicy(sampler, tinyTokenizer, agent),
    agents: [agent],
  });
  return { task: tinyPairTask(turns), policies: { first: policy("first"), second: policy("second") } };
}
