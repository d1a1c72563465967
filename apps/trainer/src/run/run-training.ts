import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { formatUsd, shellWord } from "@laconic/core/text";
import { servedTrainingResult, trainingResult } from "@laconic/view/report";
import {
  applyOverrides,
  parseAppConfig,
  resumedConfig,
  runTaskTitle,
  writtenConfig,
  type OpenSource,
} from "@laconic/runtime";
import { environmentValue } from "@laconic/runtime/folders";
import { isReference, referenceTitle } from "@laconic/runtime/resolver";
import { actorSpending, spentIn } from "@laconic/runtime/spending";
import { runFiles, isNamedBudget } from "@laconic/trainer";
import { folderSource, readRows } from "@laconic/trainer/reading";
import { exitCodeOf } from "../cli/interruption.ts";
import { printResult, visibleJson, type Terminal } from "../cli/terminal.ts";
import { runsFolder } from "../cli/files.ts";
import { withDashboard } from "../serving/with-dashboard.ts";
import type { RunFlags } from "../cli/flags.ts";
import { actorCap, type CapFlags } from "./spending.ts";
import { trainRun, type TrainedRun } from "./train-run.ts";

/** Runs or resumes a training. @returns the exit code */
export async function runTraining(
  written: Readonly<Record<string, unknown>> | null,
  overrides: readonly string[],
  flags: RunFlags & CapFlags & { readonly view?: boolean },
  name: string,
  terminal: Terminal,
  openSource?: OpenSource,
): Promise<number> {
  const directory = resolve(flags.run ?? runFolder(name, flags.resume));
  const words = [
    ...(flags.seed === undefined ? [] : [`train.seed=${flags.seed}`]),
    ...(flags.device === undefined ? [] : [`device=${flags.device}`]),
    ...overrides,
  ];
  const config =
    written === null ? await resumedConfig(directory, words) : parseAppConfig(applyOverrides(written, words));
  if (flags["dry-run"]) {
    terminal.result(visibleJson(writtenConfig(config), flags.json ? undefined : 2));
    return 0;
  }
  const { task, train } = config;
  const objective = isReference(train.objective) ? referenceTitle(train.objective) : train.objective.name;
  const spending = await actorSpending(config.actor, actorCap(flags), await spentIn(directory));
  terminal.note(
    `${terminal.paint("bold", runTaskTitle(task))}: ${train.steps} steps of ${train.problemsPerStep} problems x ${train.episodesPerProblem} episodes, ${objective}, ${config.workers} threads; run directory ${directory}`,
  );
  return withDashboard(flags.view, { folder: directory, page: "run" }, terminal, async () => {
    const done = await trainRun(config, { directory, resume: flags.resume, openSource, spending }, terminal);
    if (spending?.price) terminal.note(`${formatUsd(spending.account.spentUsd)} spent on the actor in the whole run`);
    noteEnd(done, openSource ? `laconic ${name} --train` : "laconic train", directory, terminal);
    const { json, text } = openSource
      ? await servedTrainingResult(directory, done)
      : trainingResult(done, isNamedBudget(train.budget) ? train.budget.targetTokens : null);
    const warnings = (await readRows(folderSource(directory), runFiles.warnings)).map(({ message }) => message);
    if (!flags.json && done.firstProblem !== null) terminal.note(`${done.firstProblem}\n`);
    printResult(terminal, flags.json, { ...json, ...(warnings.length > 0 && { warnings }) }, () => text);
    if (!flags.view)
      terminal.note(
        `look at it: ${environmentValue("LACONIC_COMMAND") ?? "laconic"} view ${shellWord(flags.run ?? relative(process.cwd(), directory))}`,
      );
    return exitCodeOf(done);
  });
}

function noteEnd(
  { interrupted, stoppedEarly, steps, bestStep }: TrainedRun,
  command: string,
  directory: string,
  terminal: Terminal,
): void {
  if (interrupted)
    terminal.note(`stopped after step ${steps}; continue with: ${command} --resume --run ${shellWord(directory)}`);
  if (stoppedEarly)
    terminal.note(
      `stopped early after step ${steps}: evaluations stopped improving; the best checkpoint is of step ${bestStep}: laconic eval ${shellWord(directory)} --best`,
    );
}

/** First free `runs/NAME`, `runs/NAME-2`, ..., or the last existing one. */
function runFolder(name: string, exists: boolean): string {
  const folder = (number: number): string => join(runsFolder, number === 1 ? name : `${name}-${number}`);
  let number = 1;
  while (existsSync(folder(number + Number(exists)))) number += 1;
  return folder(number);
}
