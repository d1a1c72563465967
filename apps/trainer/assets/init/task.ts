// Two clerks each know one price and have room for a note of four tokens; the cashier reads both notes and answers the sum.
import { randomFromSeed, type Problem, type Prompt, type Reward } from "@laconic/core";
import { defineTask, relayMarks, relayTokenizer, spellRelayTokens, type TeamTask } from "@laconic/tasks";
import { star, type AgentSpec } from "@laconic/topologies";

// Problems: every pair of goods at every pair of prices. Some are held out: never learned on, accuracy is measured on them.
const goods = [..."abcdefghijkl"];
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

// Prompts: what the shipped policy has been taught to read, "A:k6?k+e>" and "S:k+e?k6|e9|>". A language model of the hub
// reads chats instead: there, `chatTemplate` of @laconic/topologies writes them, and the tokenizer below goes.
function ask(role: string, given: string, texts: readonly string[]): Prompt {
  const encode = (text: string): number[] => relayTokenizer.encode(text);
  const [begin, middle, next, end] = [
    relayMarks.role[role] ?? 0,
    relayMarks.question,
    relayMarks.next,
    relayMarks.reply,
  ];
  const heard = texts.flatMap((text, i) => (i === 0 ? encode(text) : [next, ...encode(text)]));
  return { kind: "tokens", tokens: [begin, ...encode(given), middle, ...heard, end] };
}

// Team: who speaks, with how many tokens at most, and what each is asked.
const renderPrompt = (prompt: Prompt): string => (prompt.kind === "tokens" ? spellRelayTokens(prompt.tokens) : "");
const clerk = (id: string, role: string): AgentSpec => ({
  id,
  role: "clerk",
  maxTokens: 4,
  prompt: ({ question, privateView = "" }) => ask(role, privateView, [question]),
  renderPrompt,
});
const cashier: AgentSpec = {
  id: "cashier",
  role: "cashier",
  maxTokens: 20,
  prompt: ({ question, inbox }) => {
    const noteOf = (id: string): string => inbox.find(({ from }) => from === id)?.text ?? "";
    return ask("solver", question, [noteOf("clerk-1"), noteOf("clerk-2"), ""]);
  },
  renderPrompt,
};

const task: TeamTask = defineTask({
  name: "bills",
  topology: star([clerk("clerk-1", "holder-a"), clerk("clerk-2", "holder-b")], cashier),
  heldOut: shuffled.slice(0, 400),
  train: shuffled.slice(400),
  reward,
  tokenizer: relayTokenizer,
});
export default task;
