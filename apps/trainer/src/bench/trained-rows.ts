import { resolve } from "node:path";
import { departuresOf, rowOfMethod, seedMethod, trainedRows } from "@laconic/evaluation/reproduction";
import { configOfRun, parseAppConfig } from "@laconic/runtime";
import { scoredSplit } from "@laconic/runtime/bench";
import { isReference, presetConfig } from "@laconic/runtime/resolver";
import { taskTitle, type TaskSettings } from "@laconic/tasks/named";
import { flagError } from "../cli/arguments.ts";
import { changesOf } from "@laconic/trainer";

type RunConfig = Awaited<ReturnType<typeof configOfRun>>;

/** Methods `ROW=RUN` of a bench; further runs of a row are seeds: `ROW-seed-2=RUN`. */
export interface RowRuns {
  readonly methods: readonly string[];
  readonly departures: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads `ROW=RUN` words, or the methods of a bench.
 * @param rows - the paper's trained rows
 * @throws LaconicError `config_invalid` for an unknown row, and for runs of a row that are no seeds of one configuration
 */
export async function rowRuns(args: readonly string[], rows: readonly string[]): Promise<RowRuns> {
  const counts = new Map<string, number>();
  const configs = new Map<string, RunConfig[]>();
  const methods: string[] = [];
  for (const word of args) {
    const index = word.indexOf("=");
    const row = rowOfMethod(word.slice(0, Math.max(0, index)));
    const run = resolve(word.slice(index + 1));
    if (!rows.includes(row))
      throw flagError(
        "run-of",
        `${JSON.stringify(word)} is not ROW=RUN; the paper's trained rows are ${rows.join(", ")}`,
      );
    const nth = (counts.get(row) ?? 0) + 1;
    counts.set(row, nth);
    methods.push(`${seedMethod(row, nth)}=${run}`);
    const config = await configOfRun(run);
    const others = (configs.get(row) ?? []).filter((other) => changesOf(other.task, config.task).length === 0);
    for (const other of others) {
      const changes = changesOf(other, config);
      const change = changes.find(({ key }) => key !== "train.seed");
      if (change)
        throw flagError(
          "run-of",
          `several runs of ${row} are seeds, but ${change.key} is ${change.before} and ${change.now}`,
        );
      if (changes.length === 0)
        throw flagError("run-of", `two runs of ${row} have the same seed; train another with train.seed=N`);
    }
    configs.set(row, [...(configs.get(row) ?? []), config]);
  }
  const departures = [...configs].map(
    ([row, all]) => [row, all.flatMap((config) => runDepartures(row, config))] as const,
  );
  return { methods, departures: new Map(departures.map(([row, all]) => [row, [...new Set(all)]])) };
}

/** Settings that change no result. */
const machine = /^(device|workers|memory|sinks|train\.(seed|checkpoint|evaluation))\b/u;

function runDepartures(row: string, config: RunConfig): string[] {
  const { preset = "", published = {} } = trainedRows[row] ?? {};
  const changes = changesOf(parseAppConfig(presetConfig(preset)), config).filter(({ key }) => !machine.test(key));
  const scored = scoredSplit(config);
  const shown = changes.map(({ key, before, now }) => `${key} ${now} (${before})`).join(", ");
  return [
    ...departuresOf({ published }, settingsOf(config)),
    ...(scored ? [`Questions of ${scored.benchmark} differ: ${scored.split}, without those of the training.`] : []),
    ...(changes.length > 0 ? [`Settings differ from those of preset:${preset} (in parentheses): ${shown}.`] : []),
  ];
}

function settingsOf({ model, task, train }: RunConfig): Record<string, string> {
  const [name = model] = (model.split("/").at(-1) ?? model).split("@");
  const settings = task as Partial<Record<"benchmark" | "name", string>>;
  const title = isReference(task) ? "a module" : taskTitle(task as TaskSettings);
  return {
    model: name,
    "training benchmark": settings.benchmark ?? title,
    team: title.split("/").at(-1) ?? title,
    ...(train.problemPool !== undefined && { "training problems": String(train.problemPool) }),
  };
}
