import { mapValues } from "@laconic/core";
import { formatDuration, formatInterval, formatNumber, formatPercent, visibleText } from "@laconic/core/text";
import type { StartedRun } from "@laconic/runtime";
import { runFiles, type Evaluation, type Measured, describeUnscored } from "@laconic/trainer";
import { eachRow, folderSource, lastRow, type Row } from "@laconic/trainer/reading";

/** Training result for programs and readers. */
export interface TrainingResult {
  readonly json: object;
  readonly text: string;
}

/** @param budget - target tokens per episode; null without one */
export function trainingResult(done: StartedRun, budget: number | null): TrainingResult {
  const { warmStart, before, after } = done;
  const states: States = [
    ["before", warmStart?.before ?? before],
    ...(warmStart ? [["afterWarmStart", before] as const] : []),
    ["after", after],
  ];
  return { json: figuresOf(done, states, budget), text: textOf(done, states, budget) };
}

/** Means of the first and last step, for training through an endpoint. */
export async function servedTrainingResult(
  directory: string,
  { steps, seconds, trainingSeconds, device }: StartedRun,
): Promise<TrainingResult> {
  const source = folderSource(directory);
  const figures = (row: Row | undefined | null): { reward: number; tokens: number } => ({
    reward: Number(row?.["reward/mean"] ?? 0),
    tokens: Number(row?.["tokens/episode_mean"] ?? 0),
  });
  const { value: firstRow } = await eachRow(source, runFiles.metrics).next();
  const [first, last] = [figures(firstRow), figures(await lastRow(source, runFiles.metrics))];
  const text = [
    `reward    ${formatNumber(first.reward)} -> ${formatNumber(last.reward)}, means of the first and the last of ${steps} steps`,
    `tokens    ${formatNumber(first.tokens)} -> ${formatNumber(last.tokens)} per rollout`,
    `time      ${formatDuration(trainingSeconds ?? 0)} of training steps on ${device}, waiting for rollouts included`,
  ].join("\n");
  return { json: { steps, first, last, seconds, trainingSeconds, device }, text };
}

/** `before` precedes any warm start. */
type States = readonly (readonly [name: string, evaluation: Evaluation])[];

function figuresOf(done: StartedRun, states: States, budget: number | null): object {
  const { warmStart, after, test, steps, seconds, trainingSeconds, earlierSeconds, device } = done;
  const figures = ({ accuracy, tokens, measures, language }: Measured): object => ({
    accuracy,
    tokens,
    ...(measures && { measures }),
    ...(language && { language }),
  });
  const groups = Object.keys(after.groups ?? {}).map((group) => [
    group,
    Object.fromEntries(
      states.flatMap(([name, evaluation]) => {
        const measured = evaluation.groups?.[group];
        return measured ? [[name, figures(measured)]] : [];
      }),
    ),
  ]);
  return {
    ...Object.fromEntries(groups),
    ...Object.fromEntries(states.map(([name, evaluation]) => [name, figures(evaluation)])),
    ...(warmStart && {
      states: {
        before: `the model before ${warmStart.said}`,
        afterWarmStart: "the same model after the warm start",
        after: `after ${steps} steps of training`,
      },
    }),
    ...(test && {
      test: {
        ...figures(test),
        problems: test.problems,
        interval: test.interval,
        ...(test.groups && { groups: mapValues(test.groups, figures) }),
      },
    }),
    budget,
    seconds,
    trainingSeconds,
    ...(earlierSeconds > 0 && { earlierSeconds }),
    device,
  };
}

function textOf(done: StartedRun, states: States, budget: number | null): string {
  const { warmStart, before, after, test, steps, split } = done;
  const evaluations = states.map(([, evaluation]) => evaluation);
  const accuracy = (of: Measured): string => formatPercent(of.accuracy);
  const tokens = (of: Measured): string => formatNumber(of.tokens);
  const change = warmStart
    ? `against the model before the warm start ${tokenChange(warmStart.before.tokens, after.tokens, "then")}, after it ${tokenChange(before.tokens, after.tokens, "then")}`
    : tokenChange(before.tokens, after.tokens);
  const lines = [
    `accuracy  ${way(evaluations, accuracy)} on ${after.problems} ${split} problems`,
    ...Object.entries(after.groups ?? {}).flatMap(([name, { problems }]) => {
      const groups = evaluations.map((evaluation) => evaluation.groups?.[name]);
      return [
        `  ${name}: ${way(groups, accuracy)}, ${way(groups, tokens)} tokens (${problems} problems)`,
        ...measureLines(groups).map((line) => `    ${line}`),
      ];
    }),
    `tokens    ${way(evaluations, tokens)} per episode, ${change}${budget === null ? "" : ` (budget ${budget})`}`,
    ...measureLines(evaluations),
    ...languageLines(evaluations),
  ];
  if (warmStart) lines.unshift(`states    before the warm start -> after ${warmStart.said} -> after ${steps} steps`);
  if (test)
    lines.push(
      `test      ${formatPercent(test.accuracy)} (95 % interval ${formatInterval(test.interval)}), ${formatNumber(test.tokens)} tokens, on ${test.problems} test problems, measured once`,
    );
  return [...lines, timeLine(done)].join("\n");
}

function timeLine({ warmStart, seconds, trainingSeconds, earlierSeconds, device }: StartedRun): string {
  const since = Math.max(0, (trainingSeconds ?? 0) - earlierSeconds);
  const steps = `time      ${formatDuration(trainingSeconds ?? 0)} of training steps on ${device}`;
  return earlierSeconds > 0
    ? `${steps}: ${formatDuration(earlierSeconds)} before it was resumed and ${formatDuration(since)} since; ${formatDuration(seconds)} in total since it was resumed`
    : `${steps}; ${formatDuration(seconds)} in total since ${warmStart ? "the warm start" : "it was started"}`;
}

/** `4.25 times fewer`, `1.3 times as many`, `as many as before`. */
function tokenChange(before: number, after: number, than = "before"): string {
  if (!(before > 0) || !(after > 0)) return before === after ? `as many as ${than}` : "not comparable";
  const ratio = before / after;
  if (ratio > 0.995 && ratio < 1.005) return `as many as ${than}`;
  return ratio > 1 ? `${formatNumber(ratio)} times fewer` : `${formatNumber(1 / ratio)} times as many`;
}

type Course = readonly (Measured | undefined)[];

/** One line per reward and task measure over the states; "-" for missing values. */
export function measureLines(states: Course): string[] {
  const names = Object.keys(states.at(-1)?.measures ?? {});
  return names.map((name) => `${visibleText(name)}  ${way(states, (of) => numberText(of.measures?.[name]))}`);
}

export function languageLines(states: Course): string[] {
  return Object.entries(states.at(-1)?.language ?? {}).map(([agent, last]) => {
    const figures = languageFigures
      .filter(([name]) => last[name] !== undefined)
      .map(([name, label]) => `${label} ${way(states, (of) => numberText(of.language?.[agent]?.[name]))}`);
    return `words of ${visibleText(agent)}  ${figures.join(", ")}`;
  });
}

const languageFigures = [
  ["perplexity", "perplexity"],
  ["perplexityWithEnd", "with the end"],
  ["commonestTemplate", "share of one template"],
] as const;

function way(states: Course, show: (of: Measured) => string | undefined): string {
  return states.map((state) => (state && show(state)) ?? "-").join(" -> ");
}

function numberText(value: number | undefined): string | undefined {
  return value === undefined ? undefined : formatNumber(value);
}

/** Note on unscored problems; empty if all are scored. */
export function withoutScore({ scoring }: Pick<Evaluation, "scoring">): string {
  const described = scoring ? describeUnscored(scoring) : "";
  return described === "" ? "" : `; without a score: ${described}`;
}
