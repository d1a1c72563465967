import { replyCeiling } from "@laconic/baselines";
import { tokenCost } from "@laconic/core";
import { estimate, type BenchJob, type BenchSettings } from "@laconic/evaluation";
import type { Terminal } from "../cli/terminal.ts";
import type { BenchConfig } from "./bench-settings.ts";

/** Says what a bench will take at most, before it starts. */
export function sayPlan(
  jobs: readonly BenchJob[],
  settings: BenchSettings,
  { price, maxUsd }: BenchConfig,
  terminal: Terminal,
): void {
  const plan = estimate(jobs, settings);
  const { questions, samples, calls, calibrationCalls, promptTokens, likelyPromptTokens, completionTokens } = plan;
  const count = (value: number): string => value.toLocaleString("en-US");
  const dollars = (prompts: number): string => (price ? tokenCost(price, prompts, completionTokens).toFixed(2) : "");
  const learning = calibrationCalls > 0 ? ` (${count(calibrationCalls)} for calibration)` : "";
  const cost = price ? `, at most $${dollars(promptTokens)}` : "";
  const likely = `four bytes a token: ${count(likelyPromptTokens)}${price ? `, $${dollars(likelyPromptTokens)}` : ""}`;
  terminal.note(
    `${count(questions)} questions, ${count(samples)} samples, at most ${count(calls)} calls${learning}, ${count(promptTokens)} prompt and ${count(completionTokens)} completion tokens${cost} (prompts at ${likely})${maxUsd === null ? "" : `; stops at $${maxUsd}`}`,
  );
  terminal.note(`at most so many tokens a reply: ${ceilingsOf(jobs, settings)}`);
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
