/**
 * Zero-sum self-play. A proposer sets a problem: it states a letter's value in at most 27 characters, and the last
 * digit counts. The solver adds its private number and answers in at most two characters. Both learn.
 *
 *     npm run -s laconic -- train examples/self-play.ts --run runs/self-play
 */
import { randomFromSeed, type Problem, type Reward } from "@laconic/core";
import {
  defineTask,
  type DefinedTask,
  relayHolderPrompt,
  relaySolverPrompt,
  relayTokenizer as tokenizer,
  renderRelayPrompt,
} from "@laconic/tasks";
import { chain, type AgentSpec } from "@laconic/topologies";
import { defineRun, type RunDefinition, type TrainDefinition } from "@laconic/cli";

/** The proposer starts with `k6`, the solver has `e9`, and both are asked `k+e`. */
const random = randomFromSeed("self-play");
const letters = "abcdefghijklmnopqrstuvwxyz".split("");
const pairs = random.shuffle(letters.flatMap((k, i) => letters.slice(i + 1).map((e) => `${k}+${e}`)));
const problems = pairs.map((question): Problem => {
  const [hint, own] = [random.integer(10), random.integer(10)];
  const views = { proposer: `${question.at(0)}${hint}`, solver: `${question.at(-1)}${own}` };
  return { id: question, question, gold: String(own), views };
});

const player = (id: string, maxTokens: number, prompt: AgentSpec["prompt"]): AgentSpec => {
  return { id, role: id, maxTokens, prompt, renderPrompt: renderRelayPrompt };
};
const proposer = player("proposer", 28, (view) => relayHolderPrompt(view));
const solver = player("solver", 3, relaySolverPrompt);

/** A valid proposal names the letter and a digit; a wrong answer to it wins. An invalid proposal loses. */
const reward: Reward = ({ utterances: [proposal], answer }, { question, gold }) => {
  const digit = proposal?.text.match(/\d/gu)?.at(-1);
  const isProblem = digit !== undefined && proposal?.text.includes(question.charAt(0));
  const win = !isProblem || answer?.trim() === String(Number(digit) + Number(gold)) ? 1 : -1;
  return { team: {}, agents: { proposer: { win: -win }, solver: { win } }, score: win === 1 ? 1 : 0 };
};

const split = { train: problems.slice(100), testProblems: problems.slice(0, 100) };
const topology = chain([proposer, solver]);
export const task: DefinedTask = defineTask({ name: "self-play", topology, reward, tokenizer, ...split });

const rate = (peak: number) => ({ peak, warmUpSteps: 3, decay: "constant", finalFraction: 1 }) as const;
export const settings: TrainDefinition = {
  steps: 40,
  groupBy: "prompt+agent",
  oldLogProbs: "sampler",
  advantage: { estimator: "group", scale: "none" },
  objective: { name: "gspo", clip: { low: 0.2, high: 0.2 } },
  // A side that learns too fast leaves the other no chance to win.
  policies: { proposer: { learningRate: rate(1e-3) }, solver: { learningRate: rate(1e-4) } },
};

const run: RunDefinition = defineRun({ task, policies: "own", device: "wasm", train: settings });
export default run;
