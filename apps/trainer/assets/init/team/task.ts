// Two clerks each know one price and have room for a note of four tokens; the cashier reads both notes and answers the sum.
import { randomFromSeed, type Problem, type Reward } from "@laconic/core";
import { defineTask, relayHolderPrompt, relaySolverPrompt, relayTokenizer, renderRelayPrompt } from "@laconic/tasks";
import { star, type AgentSpec } from "@laconic/topologies";

// Problems: every pair of goods at every pair of prices. Some are kept for the test: never learned on, accuracy is measured on them.
const goods = "abcdefghijkl".split("");
const prices = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const pairs = goods.flatMap((one) => goods.filter((two) => two !== one).map((two) => [one, two] as const));
const bills = pairs.flatMap(([one, two]) =>
  prices.flatMap((first) =>
    prices.map((second): Problem => {
      const views = { "clerk-1": `${one}${first}`, "clerk-2": `${two}${second}` };
      return { id: Object.values(views).join("+"), question: `${one}+${two}`, gold: String(first + second), views };
    }),
  ),
);
const shuffled = randomFromSeed("bills").shuffle(bills);

// Reward: a term for the team, and one for each clerk. What words cost is a price in run.config.ts.
const reward: Reward = ({ answer, utterances }, { gold, views = {} }) => ({
  team: { task: answer?.split(" ").at(-1) === gold ? 1 : 0 },
  agents: Object.fromEntries(
    utterances
      .filter(({ agent }) => agent in views)
      .map(({ agent, text }) => [agent, { told: text === views[agent] ? 0.2 : 0 }]),
  ),
});

// Team: who speaks, with how many tokens at most, and what each is asked. The policy that ships reads prompts of the relay task:
// a fact and the question, or the question and messages. A language model of the hub reads chats instead: there `chatTemplate`
// of @laconic/topologies writes the prompts, and `renderPrompt` and `tokenizer` go.
const clerk = (id: string, slot: number): AgentSpec => ({
  id,
  role: "clerk",
  maxTokens: 4,
  prompt: (view) => relayHolderPrompt(view, slot),
  renderPrompt: renderRelayPrompt,
});
const cashier: AgentSpec = {
  id: "cashier",
  role: "cashier",
  maxTokens: 20,
  prompt: relaySolverPrompt,
  renderPrompt: renderRelayPrompt,
};

export default defineTask({
  name: "bills",
  topology: star([clerk("clerk-1", 0), clerk("clerk-2", 1)], cashier),
  testProblems: shuffled.slice(0, 400),
  train: shuffled.slice(400),
  reward,
  tokenizer: relayTokenizer,
});
