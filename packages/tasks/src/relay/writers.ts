import type { Problem, Random } from "@laconic/core";
import { relayPairTask, type RelayPairTask } from "./pair-task.ts";
import { letters } from "./problem.ts";

/** Requested texts: a name and its explanation, or two of similar length. */
export type WritersParts = "unlike" | "alike";

type Range = readonly [least: number, most: number];

/** Characters per text, and the second's length over the first's. */
const forms: Readonly<Record<WritersParts, Readonly<Record<"first" | "second" | "ratio", Range>>>> = {
  unlike: { first: [2, 4], second: [12, 24], ratio: [4, Infinity] },
  alike: { first: [12, 24], second: [12, 24], ratio: [0.8, 1.25] },
};

/**
 * MAGRPO's writing in small: the first agent names a fact, the second explains it, for one grade up to 1. Levels add up
 * until one fails: lengths (0.2 each), ratio (0.2; at least 4), key before value (0.2), and the first text's characters
 * in the second (0.2). With `alike` parts, both explain at similar length.
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
      const measures = Object.entries(levels).map(([level, points]) => [`level/${level}`, points]);
      return { grade: sum(levels), measures: Object.fromEntries(measures) };
    },
    draw,
    testProblems,
  });
}

/** @param gold - fact, such as `k6` */
export function writersGrade(
  texts: readonly [first: string, second: string],
  gold: string,
  parts: WritersParts = "unlike",
): number {
  return sum(writersLevels(texts, gold, parts));
}

type Levels = Record<"lengths" | "ratio" | "order" | "named", number>;

function sum({ lengths, ratio, order, named }: Levels): number {
  return lengths + ratio + order + named;
}

/** Points by level; zero after the first failed level. */
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

function draw(random: Random): Problem {
  const [key, other] = random.shuffle(letters) as [string, string];
  const fact = `${key}${random.integer(10)}`;
  return { id: `relay-writers:${fact}?${key}+${other}`, question: `${fact}?${key}+${other}`, gold: fact };
}
