import type { Problem, Random } from "@laconic/core";
import { jointBaselines, synchronousTurns, type JointGame, type JointWords, type Player } from "@laconic/topologies";
import { evaluationSplits, textsOf, type TeamTask, type WorldTask } from "../task.ts";
import { drawUntil, isKept, letters } from "./problem.ts";
import { renderTokens, tokensPrompt } from "./prompts.ts";
import { relayMarks, relayTokenizer } from "./tokenizer.ts";

/** Two concurrent agents with one grade, 0 to 1. */
export type RelayPairTask = WorldTask & Required<Pick<TeamTask, "game" | "reward" | "baselines">>;

/** Grade of two texts, 0 to 1; silence is an empty text. */
export interface PairJudgement {
  readonly grade: number;
  readonly measures?: Readonly<Record<string, number>>;
}

const agents = ["first", "second"] as const;

export function isKeptPair(world: string): (problem: Problem) => boolean {
  return ({ id }) => isKept(`${world} split ${id}`);
}

function relayPairTask(options: {
  readonly name: string;
  readonly turns: number;
  readonly maxTokens: number;
  readonly transition: JointGame["transition"];
  readonly grade: (texts: readonly [first: string, second: string], problem: Problem) => PairJudgement;
  readonly draw: (random: Random) => Problem;
  readonly testProblems: number;
}): RelayPairTask {
  const { name, turns, maxTokens, transition, grade, draw, testProblems } = options;
  const game: JointGame = {
    players: [player(agents[0], "holder-a", maxTokens), player(agents[1], "holder-b", maxTokens)],
    turns,
    transition,
  };
  const isForEvaluation = isKeptPair(name);
  const drawn = (random: Random, isHeld: boolean): Problem =>
    drawUntil(
      () => draw(random),
      (problem) => isForEvaluation(problem) === isHeld,
    );
  return {
    name,
    topology: synchronousTurns(game.players, game),
    game,
    tokenizer: relayTokenizer,
    baselines: jointBaselines(game, wordsOf(game)),
    reward: (episode, problem) => {
      const { grade: task, measures } = grade(textsOf(episode, agents), problem);
      return { team: { task }, ...(measures && { measures }) };
    },
    problems: (random, count) => Array.from({ length: count }, () => drawn(random, false)),
    ...evaluationSplits(testProblems, name, (random) => drawn(random, true)),
  };
}

/** The shipped policy knows no marker. */
function wordsOf({ players }: JointGame): JointWords {
  return {
    single: { player: { ...players[0]!, id: "single" } },
    having: (question, received) => [question, ...received.map(({ text }) => text)].join("|"),
  };
}

/** Reads `facts?question`, or `facts?question|text`, then its own replies. */
function player(id: string, role: string, maxTokens: number): Player {
  const encode = (text: string): number[] => relayTokenizer.encode(text);
  return {
    id,
    maxTokens,
    prompt: (chat) => {
      const [facts = "", asked = ""] = (chat.at(-1)?.content ?? "").split("?");
      const [question = "", ...received] = asked.split("|");
      const earlier = chat.filter((message) => message.role === "assistant").map(({ content }) => content);
      const { question: mark, next, reply } = relayMarks;
      const texts = [...earlier, ...received].flatMap((text) => [next, ...encode(text)]);
      const first = relayMarks.role[role]!;
      return tokensPrompt([first, ...encode(facts), mark, ...encode(question), ...texts, reply]);
    },
    renderPrompt: renderTokens,
  };
}

/**
 * Each agent has to say its key's value, in two turns; wrong agents read their fact in between. The grade is the share
 * of right agents.
 */
export function relayFeedbackTask(options: { readonly testProblems?: number } = {}): RelayPairTask {
  return relayPairTask({
    name: "relay-feedback",
    turns: 2,
    maxTokens: 3,
    transition: ({ question, gold }, history) => {
      const last = history.at(-1);
      if (!last) return [`?${question}`, `?${question}`];
      if (last.every((text, agent) => isRight(text, gold, agent))) return null;
      return last.map((text, agent) => `${isRight(text, gold, agent) ? "" : factOf(gold, agent)}?${question}`);
    },
    grade: (texts, { gold }) => ({ grade: texts.filter((text, agent) => isRight(text, gold, agent)).length / 2 }),
    draw: drawValues,
    testProblems: options.testProblems ?? 200,
  });
}

/** `k6 e9` -> `k6`, `e9`. */
function factOf(gold: string, agent: number): string {
  return gold.split(" ")[agent] ?? "";
}

function isRight(text: string, gold: string, agent: number): boolean {
  return text.replaceAll(/\D/gu, "") === factOf(gold, agent).slice(1);
}

function drawValues(random: Random): Problem {
  const [a, b] = random.shuffle(letters) as [string, string];
  const gold = `${a}${random.integer(10)} ${b}${random.integer(10)}`;
  return { id: `relay-feedback:${gold}`, question: `${a}+${b}`, gold };
}

/** A name and its explanation, or two texts of similar length. */
export type WritersParts = "unlike" | "alike";

type Range = readonly [least: number, most: number];

/** Characters per text, and the length ratio. */
const forms: Readonly<Record<WritersParts, Readonly<Record<"first" | "second" | "ratio", Range>>>> = {
  unlike: { first: [2, 4], second: [12, 24], ratio: [4, Infinity] },
  alike: { first: [12, 24], second: [12, 24], ratio: [0.8, 1.25] },
};

/**
 * MAGRPO's writing in small: the first agent names a fact, the second explains it. Levels add up until one fails:
 * lengths (0.2 each), ratio (0.2; at least 4), key before value (0.2), and the first text's characters in the second
 * (0.2). Both `alike` parts explain at similar length.
 */
export function relayWritersTask(
  options: { readonly testProblems?: number; readonly parts?: WritersParts } = {},
): RelayPairTask {
  const { parts = "unlike", testProblems = 200 } = options;
  return relayPairTask({
    name: parts === "unlike" ? "relay-writers" : `relay-writers/${parts}`,
    turns: 1,
    maxTokens: 28,
    transition: ({ question }) => [question, question],
    grade: (texts, { gold }) => {
      const levels = writersLevels(texts, gold, parts);
      const { lengths, ratio, order, named } = levels;
      const measures = Object.entries(levels).map(([level, points]) => [`level/${level}`, points]);
      return { grade: lengths + ratio + order + named, measures: Object.fromEntries(measures) };
    },
    draw: drawFact,
    testProblems,
  });
}

type Levels = Record<"lengths" | "ratio" | "order" | "named", number>;

/** Zero after the first failed level. */
function writersLevels(
  [first, second]: readonly [first: string, second: string],
  gold: string,
  parts: WritersParts,
): Levels {
  const form = forms[parts];
  const within = (value: number, [least, most]: Range): boolean => value >= least && value <= most;
  const fits = [within(first.length, form.first), within(second.length, form.second)];
  const levels = { lengths: fits.reduce((points, fit) => points + (fit ? 0.2 : 0), 0), ratio: 0, order: 0, named: 0 };
  if (fits.includes(false) || !within(second.length / first.length, form.ratio)) return levels;
  levels.ratio = 0.2;
  const [key = "", value = ""] = gold;
  const isInOrder = (text: string): boolean => {
    // Ignores the v of "value" in "the value of k is 6".
    const start = Math.max(text.indexOf(`${key}${value}`), text.search(new RegExp(`\\b${key}\\b`, "u")));
    return start >= 0 && text.indexOf(value, start) > start;
  };
  if (!isInOrder(first) || !isInOrder(second)) return levels;
  levels.order = 0.2;
  const named = [...new Set(first.replaceAll(" ", ""))];
  levels.named = 0.2 * (named.filter((character) => second.includes(character)).length / named.length);
  return levels;
}

function drawFact(random: Random): Problem {
  const [key, other] = random.shuffle(letters) as [string, string];
  const fact = `${key}${random.integer(10)}`;
  return { id: `relay-writers:${fact}?${key}+${other}`, question: `${fact}?${key}+${other}`, gold: fact };
}
