/**
 * Kuhn's poker of verifiers (`environments/kuhn_poker`), its rules reworded: a zero-sum game of two. Payoffs match on
 * recorded episodes: `test/outside-environments.test.ts`.
 *
 *     npm run -s laconic -- train examples/kuhn-poker.ts --run runs/kuhn-poker
 */
import { randomFromSeed, type Environment, type Problem, type Reward } from "@laconic/core";
import { defineEnvironment, defineTask, type DefinedTask } from "@laconic/tasks";
import { answerOf, chatTemplate, graphTopology, problemText, type AgentView } from "@laconic/topologies";
import { defineRun, type RunDefinition } from "@laconic/cli";

type Message = { readonly agent: string; readonly text: string };
const [first, second] = ["player0", "player1"] as const;

/** Next player and legal moves after a sequence of moves; all other sequences end the hand. */
const next: Readonly<Record<string, { readonly agent: string; readonly moves: readonly string[] }>> = {
  "": { agent: first, moves: ["check", "bet"] },
  check: { agent: second, moves: ["check", "bet"] },
  bet: { agent: second, moves: ["fold", "call"] },
  "check,bet": { agent: first, moves: ["fold", "call"] },
};

/** A text is a move if it comes from the right player and names exactly one legal move in brackets. */
const movesIn = (said: readonly Message[]): string[] =>
  said.reduce<string[]>((moves, { agent, text }) => {
    const asked = next[moves.join()];
    const named = Array.from(text.toLowerCase().matchAll(/\[(\w+)\]/gu), ([, move = ""]) => move);
    const legal = agent === asked?.agent ? named.filter((move) => asked.moves.includes(move)) : [];
    return legal.length === 1 ? [...moves, ...legal] : moves;
  }, []);

/** A player without a valid move may try once more, then loses. */
export const kuhnPoker: Environment = defineEnvironment<Message[]>({
  name: "kuhn-poker",
  reset: () => [],
  step(said, action) {
    const before = next[movesIn(said).join()];
    said.push(action);
    const now = next[movesIn(said).join()];
    if (now && now !== before) return {};
    if (!now || action.step > 0 || action.agent !== now.agent) return { done: true };
    return { observation: `Name one of [${now.moves.join("], [")}], and no other.` };
  },
  maxSteps: 2,
});

/** Chips that the first player wins. */
const payoff: Reward = ({ utterances }, { views = {} }) => {
  const moves = movesIn(utterances);
  const owing = next[moves.join()]?.agent;
  const folded = moves.at(-1) === "fold" ? [first, second][(moves.length - 1) % 2] : undefined;
  const [own = 0, other = 0] = [first, second].map((id) => "JQK".indexOf(views[id] ?? ""));
  const loser = owing ?? folded ?? (own > other ? second : first);
  const chips = (loser === second ? 1 : -1) * (moves.at(-1) === "call" ? 2 : 1);
  return { team: {}, agents: { [first]: { chips }, [second]: { chips: -chips } }, score: owing === undefined ? 1 : 0 };
};

const rules = `Kuhn's poker: of the cards J, Q, K each player holds one, for a chip. ${first} checks or bets a chip; after a check ${second}
checks or bets; who faces a bet folds or calls. Write your move in square brackets, such as [check].`;
const asked = ({ inbox, ...view }: AgentView): string => {
  const moves = movesIn(inbox.map(({ from, text }) => ({ agent: from, text })));
  const told = moves.map((move, i) => `${[first, second][i % 2]} [${move}]`).join(", ");
  return `${problemText(view)}\n\nMoves so far: ${told || "none"}`;
};
const prompt = chatTemplate("kuhn-poker@1", rules, asked).render;
const player = (id: string, ...rounds: number[]) => ({ id, role: id, maxTokens: 200, prompt, rounds });
const topology = graphTopology({
  name: "kuhn-poker",
  agents: [player(first, 0, 1), player(second, 0)],
  rounds: 2,
  spatial: [{ from: first, to: second }],
  temporal: [first, second].map((from) => ({ from, to: first })),
  answer: answerOf<string>(first),
});

const random = randomFromSeed("kuhn-poker");
const hands = Array.from({ length: 600 }, (_, hand): Problem => {
  const [own = "", other = ""] = random.shuffle(["J", "Q", "K"]);
  return { id: `hand ${hand}`, question: `Hand ${hand}`, gold: "", views: { [first]: own, [second]: other } };
});
const [testProblems, train] = [hands.slice(0, 100), hands.slice(100)];
const name = "kuhn-poker";
export const task: DefinedTask = defineTask({
  name,
  topology,
  environment: kuhnPoker,
  reward: payoff,
  train,
  testProblems,
});

const settings = { steps: 50, groupBy: "prompt+agent" } as const;
const run: RunDefinition = defineRun({ task, model: "hub:Qwen/Qwen3-0.6B", train: settings });
export default run;
