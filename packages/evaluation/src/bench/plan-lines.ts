import { formatCount, formatUsd } from "@laconic/core/text";
import { replyCeiling } from "@laconic/baselines";
import { maxPrice, tokenCost, type TokenPrice } from "@laconic/core/ledger";
import { estimate, type BenchEstimate, type CellEstimate } from "../bench-estimate.ts";
import type { BenchJob, BenchSettings } from "../bench-job.ts";
import type { BenchConfig } from "./bench-config.ts";

/** What a bench will take at most, in sentences. */
export function planLines(
  jobs: readonly BenchJob[],
  settings: BenchSettings,
  { price, maxUsd, judge }: Pick<BenchConfig, "price" | "maxUsd" | "judge">,
): string[] {
  const plan = estimate(jobs, settings);
  const { questions, samples, calls, calibrationCalls, promptTokens, likelyPromptTokens, completionTokens } = plan;
  const learning = calibrationCalls > 0 ? ` (${formatCount(calibrationCalls)} for calibration)` : "";
  const dollars = price && dollarsOf(plan, price);
  const cost = dollars ? `, at most ${dollars.most}` : "";
  const likely = `four bytes a token: ${formatCount(likelyPromptTokens)}${dollars ? `, ${dollars.likely}` : ""}`;
  const cap = maxUsd === null ? "" : `; stops at $${maxUsd}`;
  const judged = jobs.filter(({ problem }) => problem.grading.kind === "text").length;
  return [
    `${formatCount(questions)} questions, ${formatCount(samples)} samples, at most ${formatCount(calls)} calls${learning}, ${formatCount(promptTokens)} prompt and ${formatCount(completionTokens)} completion tokens${cost} (prompts at ${likely})${cap}`,
    `at most so many tokens a reply: ${ceilingsOf(jobs, settings)}`,
    ...(judge
      ? [`besides at most ${2 * judged} questions to the judge ${judge.model}: in the cap, and in no table`]
      : []),
  ];
}

/** A line of each method on each benchmark, under a heading; dollars where a price is known. */
export function gridLines(cells: readonly CellEstimate[], price: BenchConfig["price"]): string[] {
  const rows = cells.map((cell) => [
    cell.benchmark,
    cell.method,
    formatCount(cell.samples),
    formatCount(cell.calls),
    ...(price ? Object.values(dollarsOf(cell, price)) : []),
    cell.published === null ? (cell.differs.length === 0 ? "-" : "no") : "yes",
  ]);
  const heads = [
    "benchmark",
    "method",
    "samples",
    "calls",
    ...(price ? ["at most", "likely prompts"] : []),
    "as published",
  ];
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]?.length ?? 0)));
  return [heads, ...rows].map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** The cost at the highest rates, and with four bytes a prompt token at those of uncached prompts. */
function dollarsOf(
  { promptTokens, likelyPromptTokens, completionTokens }: BenchEstimate,
  price: TokenPrice,
): { readonly most: string; readonly likely: string } {
  return {
    most: formatUsd(tokenCost(maxPrice(price), { promptTokens, completionTokens })),
    likely: formatUsd(tokenCost(price, { promptTokens: likelyPromptTokens, completionTokens })),
  };
}

/** `1024; dylan 2048` */
function ceilingsOf(jobs: readonly BenchJob[], { maxTokens }: BenchSettings): string {
  const byCeiling = new Map<number, Set<string>>();
  for (const { method, protocol } of jobs) {
    const ceiling = method.replyTokens ?? maxTokens ?? replyCeiling(protocol);
    byCeiling.set(ceiling, (byCeiling.get(ceiling) ?? new Set()).add(method.name));
  }
  return [...byCeiling].map(([ceiling, names]) => `${ceiling} (${[...names].join(", ")})`).join("; ");
}
