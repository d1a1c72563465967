import type { Problem, Random } from "@laconic/core";
import { relayPairTask, type RelayPairTask } from "./pair-task.ts";

const keys = "abcdefghijklmnopqrstuvwxyz".split("");

/** What the two are to write: a name and what it stands for, or two parts of like length. */
export type WritersParts = "unlike" | "alike";

type Range = readonly [least: number, most: number];

/** Characters of each text, and how much longer the second is to be. */
const forms: Readonly<Record<WritersParts, { readonly first: Range; readonly second: Range; readonly ratio: Range }>> =
  {
    unlike: { first: [2, 4], second: [12, 24], ratio: [4, Infinity] },
    alike: { first: [12, 24], second: [12, 24], ratio: [0.8, 1.25] },
  };

/**
 * MAGRPO's writing on two cores: both know one fact, the first is to name it, the second to tell it, and one grade is for
 * both. As in the paper's rewards, levels add up and the first that fails ends the count: lengths (0.2 each, both needed),
 * a second text at least four times as long (0.2), in both the key before the value (0.2), and what the first names is in
 * the second (0.2). The best is 1.
 * @param options - parts: `alike` has both tell it at like length, which two at once do in half of the time of one in turn
 */
export function relayWritersTask(
  options: { readonly testProblems?: number; readonly parts?: WritersParts } = {},
): RelayPairTask {
  const { parts = "unlike", testProblems = 200 } = options;
  return relayPairTask({
    name: parts === "unlike" ? "relay-writers" : `relay-writers/${parts}`,
    turns: 1,
    maxTokens: [28, 28],
    transition: ({ question }) => [question, question],
    grade: (texts, { gold }) => {
      const levels = writersLevels(texts, gold, parts);
      return {
        grade: gradeOf(levels),
        measures: Object.fromEntries(Object.entries(levels).map(([level, points]) => [`level/${level}`, points])),
      };
    },
    draw,
    testProblems,
  });
}

/** @param gold - the fact, such as `k6` */
export function writersGrade(
  texts: readonly [first: string, second: string],
  gold: string,
  parts: WritersParts = "unlike",
): number {
  return gradeOf(writersLevels(texts, gold, parts));
}

/** Points by level; behind the first that failed there are none. */
interface WritersLevels {
  readonly lengths: number;
  readonly ratio: number;
  readonly order: number;
  readonly named: number;
}

function gradeOf({ lengths: fit, ratio, order, named }: WritersLevels): number {
  return fit + ratio + order + named;
}

function writersLevels(
  [first, second]: readonly [first: string, second: string],
  gold: string,
  parts: WritersParts,
): WritersLevels {
  const { ratio, ...lengths } = forms[parts];
  const within = (value: number, [least, most]: Range): boolean => value >= least && value <= most;
  const [short, long] = [within(first.length, lengths.first), within(second.length, lengths.second)];
  const levels = { lengths: (short ? 0.2 : 0) + (long ? 0.2 : 0), ratio: 0, order: 0, named: 0 };
  if (!short || !long) return levels;
  if (!within(second.length / first.length, ratio)) return levels;
  levels.ratio = 0.2;
  const [key = "", value = ""] = gold;
  const inOrder = (text: string): boolean => {
    // The key is a word of its own, or stands before the value: "the value of k is 6" holds a v before it too.
    const at = Math.max(text.indexOf(`${key}${value}`), text.search(new RegExp(`\\b${key}\\b`, "u")));
    return at >= 0 && text.indexOf(value, at) > at;
  };
  if (!inOrder(first) || !inOrder(second)) return levels;
  levels.order = 0.2;
  const named = [...new Set(first.replaceAll(" ", ""))];
  levels.named = 0.2 * (named.filter((character) => second.includes(character)).length / named.length);
  return levels;
}

function draw(random: Random): Problem {
  const [key, other] = random.shuffle(keys) as [string, string];
  const fact = `${key}${random.integer(10)}`;
  return { id: `relay-writers:${fact}?${key}+${other}`, question: `${fact}?${key}+${other}`, gold: fact };
}
