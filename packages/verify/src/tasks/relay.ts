import { randomFromSeed, type Problem, type Random } from "@laconic/core";
import type { Json } from "../rules/closed-set.ts";
import type { Drawing, World } from "./world.ts";

const marks = [".", "A:", "B:", "C:", "D:", "S:", "?", "|", ">"];
const letters = "abcdefghijklmnopqrstuvwxyz".split("");
const spellings = [...marks, ..." +0123456789".split(""), ...letters];

const promptOf = (tokens: readonly number[]): string => tokens.map((token) => spellings[token] ?? "\ufffd").join("");
/** Marks occur in prompts only. */
const textOf = (tokens: readonly number[]): string => promptOf(tokens.filter((token) => token >= marks.length));

const vocabulary = { textOf, promptOf };

const seats = ["holder-a", "holder-b", "holder-c", "holder-d"];
const levels: Readonly<Record<string, readonly [holders: number, facts: number]>> = {
  "one-fact": [3, 1],
  "two-facts": [3, 2],
  "four-holders": [4, 2],
};

/** Holders know facts such as `k6`. The solver sums two of them from the holders' messages. */
export function relay({ level }: Json): World | null {
  const [holders, facts] = levels[String(level)] ?? [];
  if (holders === undefined || facts === undefined) return null;
  const agents = seats.slice(0, holders);
  return {
    vocabulary,
    answerer: "solver",
    grade: ({ answer }, { gold }) => sumGrade(answer, gold),
    prompt: ({ agent }, { question, views = {} }, { utterances }) => {
      const seat = seats.indexOf(agent);
      if (seat >= 0) return `${marks[1 + seat]}${views[agent] ?? ""}?${question}>`;
      const heard = agents.map((holder) => utterances.find((utterance) => utterance.agent === holder)?.text ?? "");
      return `S:${question}?${heard.join("|")}>`;
    },
    drawing: {
      seed: "relay",
      draw: (random) => relayProblem(agents, facts, random),
      isEvaluated: (problem) => isEighth(`relay split ${contentOf(problem)}`),
      contentOf,
    },
  };
}

function relayProblem(agents: readonly string[], facts: number, random: Random): Problem {
  const shuffled = random.shuffle(letters);
  const hands = agents.map((agent, i) => ({
    agent,
    facts: shuffled.slice(i * facts, (i + 1) * facts).map((key) => `${key}${random.integer(10)}`),
  }));
  const [first, second] = random.shuffle(hands);
  const asked = [first, second].map((hand) => random.pick(hand?.facts ?? []));
  const views = Object.fromEntries(hands.map((hand) => [hand.agent, hand.facts.join(" ")]));
  const question = asked.map((fact) => fact.charAt(0)).join("+");
  const gold = String(asked.reduce((sum, fact) => sum + Number(fact.slice(1)), 0));
  return { id: `relay:${Object.values(views).join("|")}?${question}`, question, gold, views };
}

/** Facts and asked keys, independent of holder and order. */
function contentOf({ views = {}, question }: Problem): string {
  const facts = Object.values(views).flatMap((view) => view.split(" "));
  return `${facts.toSorted().join(" ")}?${question.split("+").toSorted().join("+")}`;
}

const isEighth = (label: string): boolean => randomFromSeed(label).integer(8) === 0;

/** Requires exactly one word with digits, equal to the sum. */
function sumGrade(answer: string | null, gold: string): number {
  const numbers = (answer ?? "").split(/\s+/u).filter((word) => /\p{Number}/u.test(word));
  const [number = ""] = numbers;
  return numbers.length === 1 && number === gold && /^(?:0|[1-9]\d*)$/u.test(number) ? 1 : 0;
}

/** Holds out one in eight problems, by id. */
const byId = (seed: string, split: string, draw: Drawing["draw"]): Drawing => ({
  seed,
  draw,
  isEvaluated: ({ id }) => isEighth(`${split} split ${id}`),
  contentOf: ({ id }) => id,
});

/** The actor knows the first value, the collaborator the second: it writes a hint, or comments on a draft. */
export function relayHint({ name, distractors = 0, actorReads = "own" }: Json): World | null {
  if (distractors !== 0 || actorReads !== "own") return null;
  return {
    vocabulary,
    answerer: "actor",
    grade: ({ answer }, { gold }) => sumGrade(answer, gold),
    includes: ({ question, views = {} }, agent) => [question, ...(views[agent] ?? "").split(" ")],
    drawing: byId(String(name), "relay-hint", hintProblem),
  };
}

function hintProblem(random: Random): Problem {
  const [first, second] = random.shuffle(letters) as [string, string];
  const [a, b] = [`${first}${random.integer(10)}`, `${second}${random.integer(10)}`];
  const registry = random.uniform() < 0.5 ? `${a} ${b}` : a;
  return {
    id: `relay-hint:${registry}|${b}?${first}+${second}`,
    question: `${first}+${second}`,
    gold: String(Number(a.slice(1)) + Number(b.slice(1))),
    views: { actor: registry, collaborator: b },
  };
}

/** Two agents answer simultaneously for one grade. Neither drawing nor grade is known for two turns with feedback. */
export const relayFeedback = (): World => ({
  vocabulary,
  outputs: ["first", "second"],
  includes: ({ question }) => [question],
});

/** Grades in fifths: both lengths, their ratio, the fact's order, and the share of the first text in the second. */
export function relayWriters({ parts = "unlike" }: Json): World | null {
  if (parts !== "unlike") return null;
  const draw = (random: Random): Problem => {
    const [key, other] = random.shuffle(letters) as [string, string];
    const fact = `${key}${random.integer(10)}`;
    return { id: `relay-writers:${fact}?${key}+${other}`, question: `${fact}?${key}+${other}`, gold: fact };
  };
  const gradeOf: World["grade"] = ({ outputs }, { gold }) => {
    const { first = "", second = "" } = outputs ?? {};
    const isWithin = (text: string, least: number, most: number): boolean =>
      text.length >= least && text.length <= most;
    const fits = [isWithin(first, 2, 4), isWithin(second, 12, 24)];
    const grade = 0.2 * fits.filter(Boolean).length;
    if (!fits.every(Boolean) || second.length < 4 * first.length) return grade;
    const isOrdered = (text: string): boolean => {
      const key = Math.max(text.indexOf(gold.slice(0, 2)), text.search(new RegExp(`\\b${gold[0]}\\b`, "u")));
      return key >= 0 && text.indexOf(gold[1]!, key) > key;
    };
    if (!isOrdered(first) || !isOrdered(second)) return grade + 0.2;
    const characters = [...new Set(first.replaceAll(" ", ""))];
    return (
      grade + 0.4 + (0.2 * characters.filter((character) => second.includes(character)).length) / characters.length
    );
  };
  return { ...relayFeedback(), grade: gradeOf, drawing: byId("relay-writers", "relay-writers", draw) };
}
