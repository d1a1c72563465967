import { randomFromSeed, type Problem, type Random, type Utterance } from "@laconic/core";
import type { Played } from "../folder/record.ts";
import type { Drawing, World } from "./world.ts";

const marks = [".", "A:", "B:", "C:", "D:", "S:", "?", "|", ">"];
const letters = "abcdefghijklmnopqrstuvwxyz".split("");
const spellings = [...marks, ..." +0123456789".split(""), ...letters];

/** Marks are not part of a text; a prompt shows them. */
const textOf = (tokens: readonly number[]): string =>
  tokens.map((token) => (token < marks.length ? "" : (spellings[token] ?? "\ufffd"))).join("");
const promptOf = (tokens: readonly number[]): string => tokens.map((token) => spellings[token] ?? "\ufffd").join("");

const vocabulary = { textOf, promptOf };

const seats = ["holder-a", "holder-b", "holder-c", "holder-d"];
const levels: Readonly<Record<string, readonly [holders: number, facts: number]>> = {
  "one-fact": [3, 1],
  "two-facts": [3, 2],
  "four-holders": [4, 2],
};

/** Holders know facts such as `k6`; the solver is asked for the sum of two of them and reads what holders wrote. */
export function relay({ level }: Readonly<Record<string, unknown>>): World | null {
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
      const heard = agents.map((holder) => utterances.find((each) => each.agent === holder)?.text ?? "");
      return `S:${question}?${heard.join("|")}>`;
    },
    drawing: {
      seed: "relay",
      draw: (random) => relayProblem(agents, facts, random),
      isHeldOut: (problem) => isEighth(`relay split ${contentOf(problem)}`),
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
  const asked = random
    .shuffle(hands)
    .slice(0, 2)
    .map((hand) => random.pick(hand.facts));
  const views = Object.fromEntries(hands.map((hand) => [hand.agent, hand.facts.join(" ")]));
  const question = asked.map((fact) => fact.charAt(0)).join("+");
  const gold = String(asked.reduce((sum, fact) => sum + Number(fact.slice(1)), 0));
  return { id: `relay:${Object.values(views).join("|")}?${question}`, question, gold, views };
}

/** Facts and asked keys, whoever holds them and in whatever order. */
function contentOf({ views = {}, question }: Problem): string {
  const facts = Object.values(views).flatMap((view) => view.split(" "));
  return `${facts.toSorted().join(" ")}?${question.split("+").toSorted().join("+")}`;
}

const isEighth = (label: string): boolean => randomFromSeed(label).integer(8) === 0;

/** Exactly one word holds a digit, and it is the sum. */
function sumGrade(answer: string | null, gold: string): number {
  const numbers = (answer ?? "").split(/\s+/u).filter((word) => /\p{Number}/u.test(word));
  const [number = ""] = numbers;
  return numbers.length === 1 && number === gold && /^(?:0|[1-9]\d*)$/u.test(number) ? 1 : 0;
}

/** One problem in eight is held out, by its id. */
const byId = (seed: string, split: string, draw: Drawing["draw"]): Drawing => ({
  seed,
  draw,
  isHeldOut: ({ id }) => isEighth(`${split} split ${id}`),
  contentOf: ({ id }) => id,
});

/** An actor knows the first value of a sum, a collaborator the second: it writes a hint, or a comment on a draft. */
export function relayHint(settings: Readonly<Record<string, unknown>>): World {
  const { name, distractors = 0, actorReads = "own" } = settings;
  return {
    vocabulary,
    answerer: "actor",
    grade: ({ answer }, { gold }) => sumGrade(answer, gold),
    includes: ({ question, views = {} }, agent) => [question, ...(views[agent] ?? "").split(" ")],
    drawing: byId(String(name), "relay-hint", (random) =>
      hintProblem(Number(distractors), actorReads === "own", random),
    ),
  };
}

function hintProblem(distractors: number, readsOwn: boolean, random: Random): Problem {
  const [first, second, ...others] = random.shuffle(letters).slice(0, 2 + distractors) as [string, string, ...string[]];
  const fact = (key: string): string => `${key}${random.integer(10)}`;
  const [a, b] = [fact(first), fact(second)];
  const held = random.shuffle([b, ...others.map(fact)]);
  const knowsBoth = readsOwn && random.uniform() < 0.5;
  const known = [a, ...(readsOwn ? (knowsBoth ? [b] : []) : held)].join(" ");
  return {
    id: `relay-hint:${known}|${held.join(" ")}?${first}+${second}`,
    question: `${first}+${second}`,
    gold: String(Number(a.slice(1)) + Number(b.slice(1))),
    views: { actor: known, collaborator: held.join(" ") },
  };
}

const pairs = (name: string, draw: Drawing["draw"], grade: NonNullable<World["grade"]>): World => ({
  vocabulary,
  outputs: ["first", "second"],
  grade,
  includes: ({ question }) => [question],
  drawing: byId(name, name, draw),
});

const saidBy = ({ outputs, utterances }: Played, agent: string): string =>
  outputs?.[agent] ?? utterances.findLast((each: Utterance) => each.agent === agent)?.text ?? "";

/** Each of two is to leave the digit of its own fact and no other. */
export function relayFeedback(): World {
  const draw = (random: Random): Problem => {
    const [a, b] = random.shuffle(letters) as [string, string];
    const gold = `${a}${random.integer(10)} ${b}${random.integer(10)}`;
    return { id: `relay-feedback:${gold}`, question: `${a}+${b}`, gold };
  };
  return pairs("relay-feedback", draw, (episode, { gold }) => {
    const facts = gold.split(" ");
    const isRight = (agent: string, i: number): boolean =>
      saidBy(episode, agent).replaceAll(/\D/gu, "") === facts[i]?.slice(1);
    return ["first", "second"].filter(isRight).length / 2;
  });
}

/** Levels of a fifth: both lengths, their ratio, the order of the fact, and the share of the first text in the second. */
export function relayWriters({ parts = "unlike" }: Readonly<Record<string, unknown>>): World {
  const isAlike = parts === "alike";
  const draw = (random: Random): Problem => {
    const [key, other] = random.shuffle(letters) as [string, string];
    const fact = `${key}${random.integer(10)}`;
    return { id: `relay-writers:${fact}?${key}+${other}`, question: `${fact}?${key}+${other}`, gold: fact };
  };
  return pairs(isAlike ? "relay-writers/alike" : "relay-writers", draw, (episode, { gold }) => {
    const [first, second] = [saidBy(episode, "first"), saidBy(episode, "second")];
    const isLong = (text: string): boolean => text.length >= 12 && text.length <= 24;
    const fits = [isAlike ? isLong(first) : first.length >= 2 && first.length <= 4, isLong(second)];
    const grade = 0.2 * fits.filter(Boolean).length;
    const ratio = second.length / first.length;
    if (!fits.every(Boolean) || (isAlike ? ratio < 0.8 || ratio > 1.25 : ratio < 4)) return grade;
    const isOrdered = (text: string): boolean => {
      const key = Math.max(text.indexOf(gold.slice(0, 2)), text.search(new RegExp(`\\b${gold[0]}\\b`, "u")));
      return key >= 0 && text.indexOf(gold[1] as string, key) > key;
    };
    if (!isOrdered(first) || !isOrdered(second)) return grade + 0.2;
    const characters = [...new Set(first.replaceAll(" ", ""))];
    return grade + 0.4 + (0.2 * characters.filter((each) => second.includes(each)).length) / characters.length;
  });
}
