/**
 * A fully custom run: problems, a reward with a term per agent, a team of three, an estimator. Two stations each know a
 * number and send it to an office, which adds them up. A telegram has five characters; the policy starts verbose.
 *
 *     npm run -s laconic -- train examples/telegraph.ts --run runs/telegraph
 */
import { randomFromSeed, type EstimatorFunction, type Problem, type Reward } from "@laconic/core";
import { defineTask, relayHolderPrompt, relaySolverPrompt, relayTokenizer, renderRelayPrompt } from "@laconic/tasks";
import { answerOf, graphTopology, type AgentSpec } from "@laconic/topologies";
import { defineRun } from "@laconic/cli";

/** North knows `k6`, south `e9`, and all are asked `k+e`. Each pair of letters is asked once. */
const random = randomFromSeed("telegraph");
const letters = "abcdefghijklmnopqrstuvwxyz".split("");
const pairs = random.shuffle(letters.flatMap((k, i) => letters.slice(i + 1).map((e) => `${k}+${e}`)));
const problems = pairs.map((question): Problem => {
  const [x, y] = [random.integer(10), random.integer(10)];
  const views = { north: `${question.at(0)}${x}`, south: `${question.at(-1)}${y}` };
  return { id: question, question, gold: String(x + y), views };
});

const clerk = (id: string, maxTokens: number, prompt: AgentSpec["prompt"]): AgentSpec => {
  return { id, role: id, maxTokens, prompt, renderPrompt: renderRelayPrompt };
};
const north = clerk("north", 6, (view) => relayHolderPrompt(view, 0)); // includes the end token
const south = clerk("south", 6, (view) => relayHolderPrompt(view, 1));
const office = clerk("office", 20, relaySolverPrompt);
const spatial = [north, south].map(({ id }) => ({ from: id, to: "office" }));
const agents = [north, south, office];
const topology = graphTopology({ name: "telegraph", agents, rounds: 1, answer: answerOf("office"), spatial });

/** The team earns 1 for a right answer, each station 0.5 for a telegram with only its number. */
const digits = (text: string | null | undefined) => (text ?? "").replaceAll(/\D/gu, "");
const reward: Reward = ({ answer, utterances }, { gold, views = {} }) => {
  const wire = (id: string) => digits(utterances.find(({ agent }) => agent === id)?.text);
  const term = (id: string) => ({ clear: wire(id) === digits(views[id]) ? 0.5 : 0 });
  return { team: { task: digits(answer) === gold ? 1 : 0 }, agents: { north: term("north"), south: term("south") } };
};

/** Reward above the group's median: one lucky sample does not lower the others. */
const aboveMedian: EstimatorFunction = ({ rewards, groups }) => {
  const group = (row: number) => rewards.filter((_, other) => groups[other] === groups[row]).toSorted();
  return rewards.map((value, row) => value - (group(row)[group(row).length >> 1] ?? 0));
};

const [testProblems, train] = [problems.slice(0, 100), problems.slice(100)];
const grading = { kind: "numeric" } as const;
export const board = { name: "telegrams", problems: testProblems.map((problem) => ({ ...problem, grading })) };
export default defineRun({
  task: defineTask({ name: "telegraph", topology, reward, tokenizer: relayTokenizer, train, testProblems }),
  device: "wasm",
  train: {
    steps: 24,
    groupBy: "prompt+agent",
    oldLogProbs: "sampler",
    advantage: aboveMedian,
    objective: { name: "gspo", clip: { low: 0.1, high: 0.1 } },
    optimizer: { learningRate: { peak: 5e-4, warmUpSteps: 2 } },
  },
});
