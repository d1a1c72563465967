import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { ProbeRecord } from "@laconic/trainer/reading";
import type { Evaluation } from "@laconic/trainer";
import { expect, test } from "vitest";
import { pairedFamily, unpairedFamily } from "./play-families.ts";
import { probeTable, probeText } from "./probe-run.ts";

function played(task: number, tokens: number): RecordedEpisode {
  const call = { turn: 0, round: 0, agent: "a", promptTokens: 1, writtenTokens: tokens, reads: [] };
  const episode = { problemId: "p", topology: "t", utterances: [], answer: null, stopReason: "answered" } as const;
  return {
    step: 1,
    problem: { id: "p", question: "", gold: "" },
    episode: { ...episode, ledger: { calls: [call] } },
    task,
  };
}

test("a family is compared pair by pair; a pair without both grades is skipped", () => {
  const base = [1, 1, 1, 0, Number.NaN, 1].map((grade) => played(grade, 10));
  const probed = [1, 0, 0, 1, 1, Number.NaN].map((grade) => played(grade, 4));
  const family = pairedFamily("names", "other names", base, probed);
  expect(family).toMatchObject({
    problems: 4,
    isPaired: true,
    base: { accuracy: 0.75, tokens: 10 },
    probed: { accuracy: 0.5, tokens: 4 },
    fall: { value: 0.25 },
  });
  // Of the differences 0, 1, 1, -1.
  expect(family.fall.low).toBeLessThan(0);
  expect(family.fall.high).toBeGreaterThan(0.5);
  const same = pairedFamily("names", "none", base, base);
  // Five equal pairs: 1 - 0.025 ** (1 / 5) on either side, by Clopper and Pearson.
  const end = 1 - 0.025 ** (1 / 5);
  expect([same.fall.low, same.fall.value, same.fall.high]).toBeAllclose([-end, 0, end], { absolute: 1e-9 });
  expect(pairedFamily("names", "none", [], []).fall).toEqual({ value: 0, low: null, high: null });
});

test("problems without a counterpart have the interval of two independent accuracies", () => {
  const of = (accuracy: number, interval: readonly [number, number]): Evaluation => ({
    step: 1,
    problems: 100,
    accuracy,
    interval,
    tokens: 9,
    silence: {},
  });
  const { fall, isPaired } = unpairedFamily("own", "own", of(0.9, [0.86, 0.93]), of(0.5, [0.46, 0.53]));
  expect(isPaired).toBe(false);
  expect(fall.value).toBeCloseTo(0.4, 12);
  expect(fall.low).toBeCloseTo(0.4 - Math.hypot(0.04, 0.03), 12);
  expect(fall.high).toBeCloseTo(0.4 + Math.hypot(0.03, 0.04), 12);
});

test("the table has points, tokens and changes; reasons and the unread reader follow", () => {
  const [base, probed] = [
    { accuracy: 0.98, tokens: 14.2 },
    { accuracy: 0.72, tokens: 9 },
  ];
  const record: ProbeRecord = {
    version: 1,
    step: 200,
    seed: "probe",
    base: { ...base, problems: 200 },
    families: [
      {
        family: "fresh-reader",
        change: "solver is \u001b[31mred",
        problems: 200,
        isPaired: true,
        base,
        probed,
        fall: { value: 0.26, low: 0.2, high: 0.321 },
        unheard: 0.1,
      },
    ],
    skipped: [{ family: "paraphrase", reason: "one wording" }],
  };
  expect(probeTable(record).rows).toEqual([
    ["test problems", "200", "98.0 %", "", "", "14.2", ""],
    ["fresh-reader", "200", "98.0 %", "72.0 %", "26.0 (20.0 to 32.1)", "9.0", "solver is \u001b[31mred"],
  ]);
  const text = probeText(record);
  expect(text).not.toContain("\u001b");
  expect(text).toContain("fresh-reader: 72.0 % from the messages, 10.0 % without any.\nno paraphrase: one wording.");
});
