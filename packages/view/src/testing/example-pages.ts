import { summarise, type SampleRecord } from "@laconic/evaluation";
import type { Speech, TeamAnalysis } from "@laconic/evaluation/analysis";
import { analysisHtml } from "../analysis/analysis-report.ts";
import { benchPage } from "../pages/bench-page.ts";
import type { Plot } from "../charts/plot-library.ts";
import type { MetricRow } from "../run/run-charts.ts";
import { renderReport } from "../run/page.ts";
import type { RecordedEpisode } from "@laconic/core/run-folder";
import type { VariantResult } from "@laconic/runtime";
import { variantPage } from "../variants/variant-page.ts";

const hostile = `\u202E<img src=x onerror=alert(1)>\u001b[31m`;
const agents = ["holder-a", "holder-b", "a-rather-long-name-of-an-agent", hostile, "solver"];

/** A run of 60 steps with five agents, a name that is an attack, and values of all sizes. */
export function examplePages(plot: Plot): Readonly<Record<"run" | "bench" | "ablation" | "analysis", string>> {
  return { run: run(plot), bench: bench(plot), ablation: ablation(plot), analysis: analysis(plot) };
}

function run(plot: Plot): string {
  const rows = Array.from({ length: 60 }, (_, i): MetricRow => {
    const step = i + 1;
    const shared = Object.fromEntries(
      agents.map((agent, k) => [`silence/${agent}/frac`, k === 4 ? 0 : 0.2 + 0.1 * Math.sin(i / 9 + k)]),
    );
    return {
      step,
      ...shared,
      "task/accuracy": 0.6 + 0.35 * (i / 60) + 0.04 * Math.sin(i * 7),
      "tokens/episode_mean": 31_000 * Math.exp(-i / 15) + 4000 + 900 * Math.sin(i * 5),
      "budget/tokens/lambda": 3e-9 * i,
      "clip_ratio/low_mean": 0,
      "clip_ratio/high_mean": 0,
      "rewards/task/mean": 0.9,
      "rewards/tokens/mean": -0.02 * i,
      "rewards/turns/mean": 0,
      "measures/scheme/fallback": 0.25,
      "measures/length": 1234.5 + i,
    };
  });
  const evaluations = [60.8, 57.5, 42.6, 34, 25.3, 18.4, 16.3, 14.9, 14.5, 14.3, 14.4].map((tokens, i) => {
    const accuracy = 0.9 + 0.007 * i;
    return { step: 6 * i, tokens, accuracy, interval: [accuracy - 0.03, accuracy + 0.02] as const, problems: 400 };
  });
  const figures = { accuracy: 0.9, tokens: 14.4 };
  const side = { accuracy: 0.9, tokens: 60.8, problems: 400 };
  const states = [null, 0, 60].map((step) => ({
    step,
    said: `after ${hostile}`,
    all: side,
    groups: { [`known ${hostile}`]: side, unseen: side },
  }));
  return renderReport(plot, {
    states,
    families: {
      columns: [{ measure: `right ${hostile}`, at: "test" }],
      rows: [
        { family: `known ${hostile}`, isTrained: true, problems: 9, shares: [0.5] },
        { family: "unseen", isTrained: false, problems: 9, shares: [null] },
      ],
    },
    test: null,
    probe: {
      version: 1,
      step: 60,
      seed: hostile,
      base: { ...figures, problems: 200 },
      families: [
        {
          family: hostile,
          change: `a reader of ${hostile}`,
          problems: 200,
          isPaired: true,
          base: figures,
          probed: figures,
          fall: { value: 0, low: -0.02, high: 0.02 },
          unheard: 0.1,
        },
      ],
      skipped: [{ family: "names", reason: hostile }],
    },
    name: `run of ${hostile}`,
    rows,
    evaluations,
    decline: "accuracy fell",
    budgetTokens: 14,
    seconds: 125,
    changes: [
      { step: 20, text: `budget: 30 tokens → none; price of a token: none → 0.004 ${hostile}` },
      { step: 41, text: "budget: none → 14 tokens" },
    ],
    transcripts: [transcript(0), transcript(60)],
    game: "Four know a fact each. One hears them and adds up.",
    device: "wasm",
    seed: "0",
    config: { note: hostile, wide: "x".repeat(400) },
    warnings: [hostile],
  });
}

function transcript(step: number): RecordedEpisode {
  const utterances = agents.map((agent, turn) => ({
    agent,
    turn,
    round: 0,
    prompt: `${"A:k6?k+e>".repeat(40)}${hostile}`,
    silent: turn === 1,
    text: turn === 1 ? "" : `${hostile} ${"w".repeat(step === 0 ? 3000 : 9)}`,
    writtenTokens: 9,
    deliveredTo: turn < 4 ? ["solver"] : [],
    finishReason: "stop" as const,
    model: { id: "m", weightVersion: step },
  }));
  const problem = { id: "p", question: "k+e", gold: "15", views: Object.fromEntries(agents.map((id) => [id, "k6"])) };
  const ends = { answer: "15", stopReason: "answered" as const, ledger: { calls: [] } };
  return { step, task: 1, problem, episode: { problemId: "p", topology: "relay", utterances, ...ends } };
}

const methods = [
  "vanilla",
  "cot",
  "debate",
  "hint",
  "star",
  "chain",
  "php",
  "dylan",
  "evoagent",
  "sc",
  "react",
  hostile,
];

function bench(plot: Plot): string {
  const records = methods.flatMap((method, m) =>
    Array.from({ length: 12 }, (_, problem) => record(method, problem, m)),
  );
  const summaries = summarise(records);
  const zero = summarise(Array.from({ length: 3 }, (_, problem) => record("none", problem, -1)));
  const notes = ["Intervals are 95 %.", hostile];
  const tables = [{ title: "Accuracy, %", columns: ["method", "gsm8k"], rows: [[hostile, "83.3 [43.6, 97.0]"]] }];
  return benchPage(plot, { heading: `model on ${hostile}`, notes, tables, summaries: [...summaries, ...zero] });
}

function record(method: string, problem: number, m: number): SampleRecord {
  const calls = {
    calls: 1,
    promptTokens: 300 + 40 * Math.abs((m * 7) % 5) ** 3,
    completionTokens: 16,
    criticalTokens: 16,
  };
  return {
    benchmark: m < 0 ? "none right" : "gsm8k",
    problem: String(problem),
    method,
    repeat: 0,
    setting: "whole",
    deal: null,
    equalTo: null,
    config: method,
    protocol: null,
    shots: null,
    published: null,
    differs: [],
    status: "scored",
    correct: m >= 0 && (problem * 5 + m) % 12 < 4 + (m % 4),
    answer: "1",
    extracted: "1",
    rule: null,
    stopReason: null,
    notes: [],
    usd: null,
    byModel: [],
    seconds: 1,
    attempt: 1,
    error: null,
    gold: "1",
    ...calls,
  } as unknown as SampleRecord;
}

function ablation(plot: Plot): string {
  const variants = ["base", "no-price", "fixed-price", "no-group-normalisation", "grpo", "eq5-alone", hostile];
  const results = variants.flatMap((variant, i) =>
    [1, 2, 3].map((seed): VariantResult => {
      const before = { accuracy: 0.93 + 0.005 * seed, tokens: 60 + seed };
      const after = { accuracy: 0.96 + 0.003 * i - 0.004 * seed, tokens: i === 1 ? 47 : 10 + 0.8 * i + 0.2 * seed };
      return { variant, about: `${variant} changed`, seed, before, after, seconds: 60 };
    }),
  );
  const table = { title: "Variants", columns: ["variant", "accuracy"], rows: variants.map((name) => [name, "97.0 %"]) };
  return variantPage(plot, {
    heading: "Ablation of a preset",
    results,
    table,
    remark: "n = 3 seeds",
    said: [hostile],
  });
}

function analysis(plot: Plot): string {
  const speech = (tokens: number): Speech => ({
    episodes: 60,
    unscored: 0,
    accuracy: 0.9,
    writtenTokens: 61,
    readTokens: 50,
    criticalTokens: 36,
    broadcastAmplification: 1,
    silence: Object.fromEntries(agents.map((agent) => [agent, 0.2])),
    edges: [
      ...agents.slice(0, 4).map((from, i) => ({ from, to: "solver", tokens: tokens + 3 * i })),
      { from: "solver", to: "holder-a", tokens: 1234.5 },
    ],
    messages: agents.map((agent) => ({ agent, form: hostile, share: 0.2 })) as unknown as Speech["messages"],
  });
  const worth = {
    messages: 155,
    tokens: 2700,
    meanValue: 0.6,
    valuePerToken: 0.03,
    usefulTokenRatio: 0.5,
    harmfulShare: 0.02,
  };
  const extreme = { agent: hostile, turn: 0, tokens: 2, text: `${hostile}${"y".repeat(5000)}`, value: -1 };
  return analysisHtml(plot, {
    step: 30,
    problems: 60,
    cut: "drop",
    agents,
    before: speech(16),
    after: speech(4),
    valuesBefore: worth,
    values: worth,
    byAgent: { [hostile]: worth },
    extremes: [extreme],
  } as unknown as TeamAnalysis);
}
