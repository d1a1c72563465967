import type { Grader, Problem, TrainableModel, UnknownRecord } from "@laconic/core";
import { tableTokenizer } from "@laconic/core/testing";
import { solo, star, type AgentSpec, type TrainingTask } from "@laconic/topologies";
import { onePolicy, type TrainingParts } from "../spec/parts.ts";
import { tabularModel, type TabularOptions } from "./tabular-model.ts";
import { tabularPolicy } from "./tabular-policy.ts";

const digits = ["0", "1", "2"];
const letters = ["a", "b", "c"];

/** Prompts use digits, replies letters, messages capitals; `?` is silence. */
export const tinyTokenizer: ReturnType<typeof tableTokenizer> = tableTokenizer("012abcABC?");

const maxTokens = 4;

const solver: AgentSpec = {
  id: "solver",
  role: "answers",
  maxTokens,
  prompt: ({ question, inbox }) => ({ kind: "text", text: received(inbox[0]?.text) ?? question }),
};

const hint: AgentSpec = {
  id: "hint",
  role: "knows the digit",
  maxTokens,
  prompt: ({ privateView = "?" }) => ({ kind: "text", text: privateView }),
};

function received(text: string | undefined): string | undefined {
  return text?.at(-1)?.toUpperCase();
}

/**
 * Task: name the letter of a digit (a for 0, b for 1, c for 2). Only the first letter counts, so the best reply is one
 * letter and the end token. `solo` sees the digit; in a `star` only the hint does.
 */
export function tinyTask(team: "solo" | "star" = "solo"): TrainingTask & { readonly grader: Grader } {
  const problem = (kind: number, id: string): Problem => {
    const [digit = "", gold = ""] = [digits[kind], letters[kind]];
    return team === "solo" ? { id, question: digit, gold } : { id, question: "?", gold, views: { hint: digit } };
  };
  return {
    name: `tiny-${team}`,
    topology: team === "solo" ? solo(solver) : star([hint], solver),
    grader: (answer, { gold }) => (answer?.startsWith(gold) ? 1 : 0),
    problems: (random, count) =>
      Array.from({ length: count }, (_, i) => problem(random.integer(digits.length), `train-${i}`)),
    testProblems: Array.from({ length: 30 }, (_, i) => problem(i % digits.length, `validation-${i}`)),
  };
}

/** The tiny task with a new tabular model shared by all agents. */
export function tinyParts(
  team: "solo" | "star" = "solo",
  options: Partial<TabularOptions> = {},
): TrainingParts & { readonly model: TrainableModel; readonly task: ReturnType<typeof tinyTask> } {
  const model = tabularModel({ vocabularySize: tinyTokenizer.vocabularySize, ...options });
  const task = tinyTask(team);
  return { ...onePolicy(task, model, (sampler) => tabularPolicy(sampler, tinyTokenizer)), model, task };
}

/** Settings for `parseTrainConfig` that learn the tiny task in about thirty steps. */
export const tinySettings: UnknownRecord = {
  seed: 7,
  steps: 30,
  problemsPerStep: 6,
  episodesPerProblem: 8,
  objective: { name: "gspo", clip: { low: 0.2, high: 0.2 } },
  advantage: { estimator: "group", scale: "none" },
  prices: { tokens: 0.1 },
  optimizer: { learningRate: { peak: 0.3, warmUpSteps: 0, decay: "constant", finalFraction: 1 } },
  evaluation: { every: 10, problems: 30, transcripts: 2 },
  checkpoint: { every: 10, keep: 2 },
};
