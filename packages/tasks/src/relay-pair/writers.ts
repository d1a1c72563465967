import type { Problem, Random } from "@laconic/core";
import { relayPairTask, type RelayPairTask } from "./pair-task.ts";

const keys = "abcdefghijklmnopqrstuvwxyz".split("");

/** Characters of a text that is short enough, and of one that says enough. */
const lengths = { first: [2, 4], second: [12, 24] } as const;

/**
 * MAGRPO's writing on two cores: both know one fact, the first is to name it, the second to tell it, and one grade is for
 * both. As in the paper's rewards, levels add up and the first that fails ends the count: lengths (0.2 each, both needed),
 * a second text at least four times as long (0.2), in both the key before the value (0.2), and what the first names is in
 * the second (0.2). The best is 1.
 */
export function relayWritersTask(options: { readonly heldOut?: number } = {}): RelayPairTask {
  return relayPairTask({
    name: "relay-writers",
    turns: 1,
    maxTokens: [28, 28],
    transition: ({ question }) => [question, question],
    grade: (texts, { gold }) => {
      const levels = writersLevels(texts, gold);
      return {
        grade: gradeOf(levels),
        measures: Object.fromEntries(Object.entries(levels).map(([level, points]) => [`level/${level}`, points])),
      };
    },
    draw,
    heldOut: options.heldOut ?? 200,
  });
}

/** @param gold - the fact, such as `k6` */
export function writersGrade(texts: readonly [first: string, second: string], gold: string): number {
  return gradeOf(writersLevels(texts, gold));
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

function writersLevels([first, second]: readonly [first: string, second: string], gold: string): WritersLevels {
  const fits = (text: string, [least, most]: readonly [number, number]): boolean =>
    text.length >= least && text.length <= most;
  const [short, long] = [fits(first, lengths.first), fits(second, lengths.second)];
  const levels = { lengths: (short ? 0.2 : 0) + (long ? 0.2 : 0), ratio: 0, order: 0, named: 0 };
  if (!short || !long) return levels;
  if (second.length < 4 * first.length) return levels;
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
