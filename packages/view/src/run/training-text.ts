import { formatDuration, formatInterval, formatNumber, formatPercent } from "@laconic/core/text";
import type { StartedRun } from "@laconic/runtime";
import { runFiles, type Evaluation, type Measured } from "@laconic/trainer";
import { eachRow, folderSource, lastRow, type Row } from "@laconic/trainer/reading";
import { languageLines, measureLines, tokenChange } from "./figures-text.ts";

/** What a training came to, for a program and for a reader. */
export interface TrainingResult {
  readonly json: object;
  readonly text: string;
}

/**
 * What a training with validation problems came to.
 * @param budget - tokens per episode that it aimed at; null without one
 */
export function trainingResult(done: StartedRun, budget: number | null): TrainingResult {
  const states = statesOf(done);
  return { json: figuresOf(done, states, budget), text: textOf(done, states, budget) };
}

/** What a training through an endpoint came to, without validation problems: what rollouts of its first and last step earned. */
export async function servedTrainingResult(
  directory: string,
  { steps, seconds, trainingSeconds, device }: StartedRun,
): Promise<TrainingResult> {
  const sideOf = (row: Row): { reward: number; tokens: number } => ({
    reward: Number(row["reward/mean"] ?? 0),
    tokens: Number(row["tokens/episode_mean"] ?? 0),
  });
  const source = folderSource(directory);
  let first = sideOf({});
  for await (const row of eachRow(source, runFiles.metrics)) {
    first = sideOf(row);
    break;
  }
  const last = sideOf((await lastRow(source, runFiles.metrics)) ?? {});
  const text = [
    `reward    ${formatNumber(first.reward)} -> ${formatNumber(last.reward)}, the mean of the first and of the last of ${steps} steps`,
    `tokens    ${formatNumber(first.tokens)} -> ${formatNumber(last.tokens)} per rollout`,
    `time      ${formatDuration(trainingSeconds ?? 0)} of training steps on ${device}, waiting for rollouts included`,
  ].join("\n");
  return { json: { steps, first, last, seconds, trainingSeconds, device }, text };
}

type States = readonly (readonly [name: string, evaluation: Evaluation])[];

/** By the names of results: `before` is the model as it was given, before the warm start where it had some. */
function statesOf({ warmStart, before, after }: StartedRun): States {
  return [
    ["before", warmStart?.before ?? before],
    ...(warmStart ? [["afterWarmStart", before] as const] : []),
    ["after", after],
  ];
}

function figuresOf(done: StartedRun, states: States, budget: number | null): object {
  const { warmStart, after, test, steps, seconds, trainingSeconds, earlierSeconds, device } = done;
  const shown = ({ accuracy, tokens, measures, language }: Measured): object => ({
    accuracy,
    tokens,
    ...(measures && { measures }),
    ...(language && { language }),
  });
  const tested = test && {
    ...shown(test),
    problems: test.problems,
    interval: test.interval,
    ...(test.groups && {
      groups: Object.fromEntries(Object.entries(test.groups).map(([group, own]) => [group, shown(own)])),
    }),
  };
  const groups = Object.keys(after.groups ?? {}).map((group) => [
    group,
    Object.fromEntries(states.flatMap(([name, { groups: own }]) => (own?.[group] ? [[name, shown(own[group])]] : []))),
  ]);
  const meaning = warmStart && {
    before: `the model before ${warmStart.said}`,
    afterWarmStart: "the same model after it, where the training begins",
    after: `after ${steps} steps of training`,
  };
  return {
    ...Object.fromEntries(groups),
    ...Object.fromEntries(states.map(([name, evaluation]) => [name, shown(evaluation)])),
    ...(meaning && { states: meaning }),
    ...(tested && { test: tested }),
    budget,
    seconds,
    trainingSeconds,
    ...(earlierSeconds > 0 && { earlierSeconds }),
    device,
  };
}

function textOf(done: StartedRun, states: States, budget: number | null): string {
  const { warmStart, before, after, test, steps } = done;
  const way = (pick: (of: Evaluation) => string): string =>
    states.map(([, evaluation]) => pick(evaluation)).join(" -> ");
  const { tokens } = after;
  const change = warmStart
    ? `against the model before the warm start ${tokenChange(warmStart.before.tokens, tokens, "then")}, after it ${tokenChange(before.tokens, tokens, "then")}`
    : tokenChange(before.tokens, tokens);
  return [
    ...(warmStart ? [`states    before the warm start -> after ${warmStart.said} -> after ${steps} steps`] : []),
    `accuracy  ${way(({ accuracy }) => formatPercent(accuracy))} on ${after.problems} ${test ? "validation" : "test"} problems`,
    ...Object.entries(after.groups ?? {}).map(([name, { problems }]) => {
      const own = ({ groups }: Evaluation, show: (of: Measured) => string): string =>
        groups?.[name] ? show(groups[name]) : "-";
      return [
        `  ${name}: ${way((of) => own(of, ({ accuracy }) => formatPercent(accuracy)))}, ${way((of) => own(of, (each) => formatNumber(each.tokens)))} tokens (${problems} problems)`,
        ...measureLines(states.map(([, { groups }]) => groups?.[name])).map((line) => `    ${line}`),
      ].join("\n");
    }),
    `tokens    ${way((of) => formatNumber(of.tokens))} per episode, ${change}${budget === null ? "" : ` (budget ${budget})`}`,
    ...measureLines(states.map(([, evaluation]) => evaluation)),
    ...languageLines(states.map(([, evaluation]) => evaluation)),
    ...(test
      ? [
          `test      ${formatPercent(test.accuracy)} (95 % interval ${formatInterval(test.interval)}), ${formatNumber(test.tokens)} tokens, on ${test.problems} problems that nothing was chosen by`,
        ]
      : []),
    timeLine(done),
  ].join("\n");
}

/** Steps before a resume are told apart: what is said adds up. */
function timeLine({ warmStart, seconds, trainingSeconds, earlierSeconds, device }: StartedRun): string {
  const own = Math.max(0, (trainingSeconds ?? 0) - earlierSeconds);
  const steps = `time      ${formatDuration(trainingSeconds ?? 0)} of training steps on ${device}`;
  return earlierSeconds > 0
    ? `${steps}: ${formatDuration(earlierSeconds)} before it was resumed and ${formatDuration(own)} since; ${formatDuration(seconds)} in all since it was resumed`
    : `${steps}; ${formatDuration(seconds)} in all since ${warmStart ? "the warm start" : "it was started"}`;
}
