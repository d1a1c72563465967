import { mapValues, type Estimator } from "../../packages/core/src/index.ts";
import { isDeepStrictEqual } from "node:util";
import type { RecordedEpisode } from "../../packages/core/src/run-folder/index.ts";
import { evaluate, evaluationOptions } from "../../packages/trainer/src/evaluate.ts";
import { criticsOf, withLearned } from "../../packages/trainer/src/learned.ts";
import { livePolicies } from "../../packages/trainer/src/spec/parts.ts";
import { eachEpisode, folderSource, readRows } from "../../packages/trainer/src/reading/index.ts";
import { loadWeights, findCheckpoint } from "../../packages/trainer/src/run/checkpoint.ts";
import { learnedOf } from "../../packages/trainer/src/run/loop-state.ts";
import type { TrainConfig } from "../../packages/trainer/src/settings/config.ts";
import { sharesReward } from "../../packages/trainer/src/settings/named.ts";
import { parseTrainConfig } from "../../packages/trainer/src/settings/parse-train-config.ts";
import { runSpec } from "../../packages/trainer/src/spec/run-spec.ts";
import { nodeFileSystem } from "../../packages/trainer/src/platform/node.ts";
import { isOfClock } from "./any-settings.ts";
import { expectThat, runFolder } from "./scenario.ts";
import { partsOf, type Variant } from "./training.ts";

type Numbers = Readonly<Record<string, number>>;

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]): number => sum(values) / values.length;
const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(b));

/** Recomputes a row's numbers from its episodes with simple formulas, independent of the code that writes rows. */
function recomputed(episodes: readonly RecordedEpisode[], { costs, opponents }: TrainConfig): Numbers {
  const calls = episodes.flatMap(({ episode }) => episode.ledger.calls);
  const byAgent = (name: string, tokens: (call: (typeof calls)[number]) => number): [string, number][] =>
    [...new Set(calls.map(({ agent }) => agent))].map((agent) => [
      `tokens/${name}/${agent}`,
      sum(calls.filter((call) => call.agent === agent).map(tokens)),
    ]);
  const total = sum(calls.map(({ writtenTokens }) => writtenTokens));
  const rewards = episodes.flatMap(({ reward }) => (typeof reward === "number" ? [reward] : []));
  return {
    "tokens/total": total,
    ...(costs === null && !opponents && { "tokens/episode_mean": total / episodes.length }),
    ...Object.fromEntries(byAgent("written", ({ writtenTokens }) => writtenTokens)),
    ...Object.fromEntries(byAgent("read", ({ reads }) => sum(reads.map(({ tokens }) => tokens)))),
    ...(rewards.length > 0 && { "reward/mean": mean(rewards) }),
  };
}

function expectRow(name: string, row: Numbers, expected: Numbers): void {
  for (const [key, value] of Object.entries(expected))
    expectThat(
      isClose(row[key] ?? Number.NaN, value),
      `${name}: ${key} is ${row[key]}, and its episodes give ${value}`,
    );
}

async function byStep(kind: "step" | "evaluation"): Promise<Map<number, RecordedEpisode[]>> {
  const match = new Map<number, RecordedEpisode[]>();
  for await (const recordedEpisode of eachEpisode(folderSource(runFolder), kind))
    match.set(recordedEpisode.step, [...(match.get(recordedEpisode.step) ?? []), recordedEpisode]);
  return match;
}

/**
 * Checks that rows of steps and evaluations match their episodes, with each step once.
 * @param ends - steps at which the run should end
 */
export async function expectRowsOfRecords(
  { settings }: Variant,
  steps: number,
  ends: readonly number[] = [steps],
): Promise<void> {
  const config = parseTrainConfig(settings);
  const source = folderSource(runFolder);
  const rows = (await readRows(source, "metrics.jsonl")) as unknown as readonly Numbers[];
  const evaluations = (await readRows(source, "evaluations.jsonl")) as unknown as readonly Numbers[];
  const [played, evaluated] = [await byStep("step"), await byStep("evaluation")];
  const { every } = config.evaluation;
  const due = Array.from({ length: steps + 1 }, (_, step) => step).filter(
    (step) => step === 0 || step === steps || ends.includes(step) || (every > 0 && step % every === 0),
  );
  const own = rows.map((row) => row["step"]).join();
  expectThat(own === Array.from({ length: steps }, (_, i) => i + 1).join(), `metrics.jsonl has the steps ${own}`);
  const measured = evaluations.map((row) => row["step"]).join();
  expectThat(measured === due.join(), `evaluations.jsonl has the steps ${measured}, and ${due.join()} were due`);
  for (const row of rows) {
    // JSON has null for NaN and infinity.
    const [nothing] = Object.entries(row).find(([, value]) => value === null) ?? [];
    expectThat(nothing === undefined, `step ${row["step"]}: ${nothing} is no number`);
    const episodes = played.get(row["step"] as number);
    if (episodes) expectRow(`step ${row["step"]}`, row, recomputed(episodes, config));
    else expectThat(false, `step ${row["step"]} has no episodes`);
  }
  for (const row of evaluations) {
    const episodes = evaluated.get(row["step"] as number) ?? [];
    const grades = episodes.flatMap(({ task = Number.NaN }) => (Number.isNaN(task) ? [] : [task]));
    if (episodes.length > 0)
      expectRow(`evaluation ${row["step"]}`, row, {
        problems: episodes.length,
        accuracy: mean(grades),
        tokens:
          sum(episodes.flatMap(({ episode }) => episode.ledger.calls.map((call) => call.writtenTokens))) /
          episodes.length,
      });
  }
}

/** Checks that evaluating the last checkpoint again gives the run's result. */
export async function expectSameEvaluation(variant: Variant): Promise<void> {
  const config = parseTrainConfig(variant.settings);
  if (Object.keys(config.limits).some(isOfClock)) return;
  const { settings = {}, ...fresh } = partsOf(variant);
  const { parts } = runSpec({ ...fresh, settings: { ...config, ...settings } });
  const { folder, manifest, state } = await findCheckpoint(nodeFileSystem, `${runFolder}/checkpoints`);
  const learners = Object.keys(parts.policies).map((name) => ({
    name,
    estimator: settings.advantage as Estimator,
  }));
  await loadWeights(folder, manifest, { ...mapValues(parts.policies, ({ model }) => model), ...criticsOf(learners) });
  const { step } = state;
  if (state.after.step !== step) return; // saved between evaluations
  const options = { ...evaluationOptions(config), step, split: "validation" } as const;
  const again = withLearned(parts, learnedOf(state));
  const { evaluation } = await evaluate(again, livePolicies(again), options);
  const { language: _, opponents: __, ...kept } = state.after; // need the first weights, and opponents
  expectThat(
    isDeepStrictEqual(JSON.parse(JSON.stringify(evaluation)), kept),
    `the checkpoint of step ${step} evaluates to ${JSON.stringify(evaluation)}, and its run had ${JSON.stringify(kept)}`,
  );
}

/** Checks that each new problem makes one complete group, trained once or reported as dropped. */
export async function expectGroupsOnce({ team, settings }: Variant): Promise<void> {
  const { problemsPerStep, episodesPerProblem, problemPool, onAgentError, credit, limits } = parseTrainConfig(settings);
  if (problemPool !== null) return;
  const trained = new Map<string, { readonly step: number; episodes: number }>();
  for (const [step, episodes] of await byStep("step")) {
    const ids = new Set(episodes.map(({ problem }) => problem.id));
    expectThat(ids.size === problemsPerStep, `step ${step} has ${ids.size} groups, not ${problemsPerStep}`);
    for (const id of ids) {
      const before = trained.get(id);
      expectThat(before === undefined, `group ${id} is trained in step ${before?.step} and again in step ${step}`);
      trained.set(id, { step, episodes: episodes.filter(({ problem }) => problem.id === id).length });
    }
  }
  const isWhole = onAgentError === "throw" && sharesReward({ credit }) && team !== "tree";
  if (isWhole && Object.keys(limits).length === 0)
    for (const [id, { episodes }] of trained)
      expectThat(episodes === episodesPerProblem, `group ${id} has ${episodes} episodes, not ${episodesPerProblem}`);
  for (const { problemId } of await readRows(folderSource(runFolder), "dropped.jsonl"))
    expectThat(!trained.has(problemId as string), `group ${String(problemId)} is trained, and reported as dropped`);
}
