import { runSpec } from "../../spec/run-spec.ts";
import { expect, test } from "vitest";
import { asynchronousDefaults } from "../../settings/config.ts";
import { parseTrainConfig } from "../../settings/parse-train-config.ts";
import { onePolicy } from "../../spec/parts.ts";
import { silentRecorder } from "../../run/recorder.ts";
import type { Metrics } from "../../stages/step-metrics.ts";
import { nullFleet, nullModel, tinySettings, tinyTask, virtualTimer } from "../index.ts";
import { train } from "../../train.ts";
import { simulateFleet, type FleetParameters } from "./simulate-fleet.ts";

const fleet: FleetParameters = {
  slots: 16,
  groupsPerStep: 4,
  episodesPerGroup: 4,
  callsPerEpisode: 2,
  asynchronous: { ...asynchronousDefaults, activeGroups: 5, maxLag: 6 },
  latency: { medianSeconds: 2, sigma: 1.2, leastSeconds: 0.05, mostSeconds: 30 },
  failures: 0.05,
  updateSeconds: 4,
  controller: { startSeconds: 0, callSeconds: 0, trainSeconds: 0 },
  steps: 24,
  warmUpSteps: 5,
  seed: 7,
};

/** The loop itself on the same fleet, where time is virtual and the engine does nothing. */
async function trained(parameters: FleetParameters): Promise<{ rows: Metrics[]; utilisation: number; alive: number }> {
  const timer = virtualTimer();
  const servers = nullFleet(timer, parameters);
  const model = nullModel(timer, parameters.updateSeconds);
  const { asynchronous, groupsPerStep, episodesPerGroup, warmUpSteps, steps, seed } = parameters;
  const lastStep = steps - asynchronous.maxLag - 1;
  const config = parseTrainConfig({
    ...tinySettings,
    seed,
    steps,
    asynchronous,
    minibatches: 1,
    prices: {},
    problemsPerStep: groupsPerStep,
    episodesPerProblem: episodesPerGroup,
    evaluation: { every: 0, problems: 1, transcripts: 0 },
  });
  const rows: Metrics[] = [];
  let utilisation = 0;
  const recorder = silentRecorder((metrics) => {
    rows.push(metrics);
    if (metrics["step"] === warmUpSteps) servers.utilisation();
    if (metrics["step"] === lastStep) utilisation = servers.utilisation();
  });
  // What one problem of the evaluation beforehand fails with is no matter of the queue.
  const parts = onePolicy(tinyTask("star"), model, (sampler) =>
    sampler === model ? nullFleet(timer, { ...parameters, failures: 0 }).speak(sampler) : servers.speak(sampler),
  );
  await timer.run(train(runSpec({ ...parts, settings: config }), { recorder, timer }));
  return { rows, utilisation, alive: model.alive };
}

test.each([
  {},
  { stale: "drop", maxLag: 3 },
  { stale: "wait", maxLag: 3, cutStragglers: { afterShare: 0.5, seconds: 6 } },
] as const)("the loop on a null engine comes to the forecast's lags and utilisation, with %j", async (asynchronous) => {
  const parameters = { ...fleet, asynchronous: { ...fleet.asynchronous, ...asynchronous } };
  const forecast = simulateFleet(parameters);
  const { rows, utilisation, alive } = await trained(parameters);
  const means = forecast.lags.map((lags) => lags.reduce((sum, lag) => sum + lag, 0) / lags.length);
  expect(rows.slice(0, means.length).map((row) => row["sampling/lag_steps"])).toEqual(means);
  expect(utilisation).toBeCloseTo(forecast.utilisation, 9);
  expect(alive).toBe(0);
});

test.each([1, 3, 16])("the default keeps a fleet as large as a step of %i groups busy", (groupsPerStep) => {
  for (const seed of [1, 2, 3]) {
    const sizes = { groupsPerStep, slots: groupsPerStep * fleet.episodesPerGroup };
    const { utilisation, lag } = simulateFleet({
      ...fleet,
      ...sizes,
      seed,
      asynchronous: asynchronousDefaults,
      steps: 120,
      warmUpSteps: 20,
    });
    expect(utilisation).toBeGreaterThan(0.95);
    expect(lag.max).toBeLessThanOrEqual(asynchronousDefaults.maxLag);
  }
});
