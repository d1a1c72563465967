import { expect, test } from "vitest";
import type { EpisodeSummary } from "../protocol.ts";
import { tellingEpisodes } from "./episode-index.ts";

const episodes = (step: number, ...lines: readonly string[]): readonly EpisodeSummary[] =>
  lines.map((line, i) => {
    const [problem = "", tokens, graded, silent = ""] = line.split(" ");
    const grade = graded === "right" ? 1 : graded === "wrong" ? 0 : graded === "none" ? null : Number(graded);
    const own = { problem, tokens: Number(tokens), grade, silent: silent === "" ? [] : silent.split(",") };
    const rest = { kind: "evaluation", step, question: problem, answer: "7", reward: null, opponent: null } as const;
    return { key: `e${step}.${i}`, ...rest, ...own };
  });

const told = (first: readonly EpisodeSummary[], last: readonly EpisodeSummary[]): readonly string[] =>
  tellingEpisodes(first, last).map(
    ({ why, episode, before }) => `${why} ${episode.problem} ${before?.tokens ?? "-"}>${episode.tokens}`,
  );

test.each([
  [
    "the largest saving at a right answer, what went wrong with the fewest tokens, and the most silent",
    ["a 60 right", "b 90 right", "c 99 wrong", "d 50 right", "e 50 right", "f 40 right", "g 30 right"],
    ["a 20 right", "b 80 right", "c 9 wrong", "d 12 wrong", "e 8 wrong", "f 30 right x", "g 28 right x,y"],
    ["saving a 60>20", "failure e 50>8", "silence g 30>28"],
  ],
  [
    "nothing is named twice: the quietest is the largest saving, so the next one is told",
    ["a 60 right", "b 30 right"],
    ["a 10 right x,y", "b 25 right x"],
    ["saving a 60>10", "silence b 30>25"],
  ],
  [
    "where nothing was right before, the wordiest of what is wrong",
    ["a 60 wrong", "b 30 wrong"],
    ["a 70 wrong", "b 90 wrong"],
    ["failure b 30>90"],
  ],
  [
    "equal grades that are no full ones, and equal answers without a grade, save too",
    ["a 60 0.5", "b 30 none"],
    ["a 55 0.5", "b 10 none"],
    ["saving b 30>10", "failure a 60>55"],
  ],
  [
    "of equal ones the first problem, in any order",
    ["b 9 right", "a 9 right"],
    ["b 4 right", "a 4 right"],
    ["saving a 9>4"],
  ],
  [
    "a first evaluation with other problems",
    ["z 60 right"],
    ["a 5 right x", "b 9 wrong"],
    ["failure b ->9", "silence a ->5"],
  ],
  ["words that only grew", ["a 4 right"], ["a 9 right"], []],
  ["nothing at all", [], [], []],
] as const)("%s", (_, first, last, expected) => {
  expect(told(episodes(0, ...first), episodes(200, ...last))).toEqual(expected);
  expect(told(episodes(0, ...first.toReversed()), episodes(200, ...last.toReversed()))).toEqual(expected);
});
