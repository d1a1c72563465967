import { performance } from "node:perf_hooks";
import { LaconicError } from "@laconic/core";
import { regressionOf, runSpec, train, type TrainResult } from "@laconic/trainer";
import { trainingSeconds } from "@laconic/trainer/reading";
import { keepSources } from "../resolver/run-sources.ts";
import { withSource } from "../resolver/with-source.ts";
import { keepBeforeWarmStart } from "../run/warm-start/before-warm-start.ts";
import { keepCalls } from "../spending/kept-account.ts";
import type { Held, StartedRun, Trained } from "./run-context.ts";

/** Trains while the directory is held. */
export async function trainModels(held: Held): Promise<Trained> {
  const { directory, progress, spending = null, closing } = held;
  try {
    if (spending) {
      const paid = await keepCalls(directory, spending.account);
      closing.defer(() => paid.close());
    }
    return { ...held, result: await trained(held).catch((error: unknown) => failed(held, error)) };
  } finally {
    progress.ended();
  }
}

async function failed({ config, directory, place, progress, spending = null }: Held, error: unknown): Promise<never> {
  const isSpent = spending !== null && LaconicError.is(error) && error.code === "budget_refused";
  await progress.failed(error, { directory, isKept: "kind" in place || isSpent });
  throw withSource(error, config);
}

async function trained(held: Held): Promise<TrainResult> {
  const { config, directory, resume, progress, parts, opened, warmStart, sources, run, stop, closing, openSource } =
    held;
  await keepSources(directory, sources);
  if (warmStart) await keepBeforeWarmStart(directory, warmStart);
  const source = await openSource?.({ ...opened, parts }, { config, directory, resume: resume !== false });
  if (source) closing.defer(() => source.close());
  progress.started();
  const result = await train(
    runSpec({
      ...(source?.parts ?? parts),
      settings: opened.train,
    }),
    {
      recorder: run,
      ...(stop && { signal: stop }),
    },
  );
  held.end(result.interrupted ? "interrupted" : "finished");
  return result;
}

/** Everything is closed: what became of the run. */
export async function finish({
  result,
  directory,
  opened,
  warmStart,
  stop,
  begun,
  progress,
  firstStep,
}: Trained): Promise<StartedRun> {
  const seconds = (performance.now() - begun) / 1000;
  const decline = regressionOf(result.before, result.after);
  if (decline !== null) progress.warn(`at the end, after step ${result.steps}, ${decline}`);
  return {
    ...result,
    warmStart,
    signal: stop.aborted ? (stop.reason as NodeJS.Signals) : null,
    seconds,
    device: opened.engine.capabilities.device,
    trainingSeconds: await trainingSeconds(directory),
    // One that had nothing left to train was trained before.
    earlierSeconds: (await trainingSeconds(directory, firstStep() ?? Infinity)) ?? 0,
  };
}
