// Two clerks know one price each and may write four tokens. The cashier reads both notes and answers the sum.
import { randomFromSeed, type Problem, type Reward } from "@laconic/core";
import { defineTask, relayHolderPrompt, relaySolverPrompt, relayTokenizer, renderRelayPrompt } from "@laconic/tasks";
import { star, type AgentSpec } from "@laconic/topologies";

// Problems: every pair of goods at every pair of prices. The test problems are never trained on; they measure accuracy.
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

// Reward: a term for the team, and one for each clerk. run.config.ts sets the price of tokens.
const reward: Reward = ({ answer, utterances }, { gold, views = {} }) => ({
  team: { task: answer?.split(" ").at(-1) === gold ? 1 : 0 },
  agents: Object.fromEntries(
    utterances
      .filter(({ agent }) => agent in views)
      .map(({ agent, text }) => [agent, { told: text === views[agent] ? 0.2 : 0 }]),
  ),
});

// Team: agents with token limits and prompts. The shipped policy reads prompts of the relay task: a fact and the
// question, or the question and messages. A language model from the hub reads chats: then use `chatTemplate` of
// @laconic/topologies instead of `renderPrompt` and `tokenizer`.
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
