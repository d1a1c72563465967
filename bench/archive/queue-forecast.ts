// Asynchronous training past this machine, in virtual time: the scheduler of the loop with simulated samplers, from 1 to 10,000
// slots, and where one controller is the bottleneck. Prints a line of JSON per setting; the same on every machine.
//   npx tsx bench/archive/queue-forecast.ts [target|slow|batch|fleet|controller ...]
import { asynchronousDefaults } from "@laconic/trainer";
import { simulateFleet, type FleetForecast, type FleetParameters } from "@laconic/trainer/testing";
import { print } from "../src/measure.ts";

/** Two calls an episode, of 0.05 to 30 s, 3.7 s in the mean; one in twenty fails. */
const fleet: FleetParameters = {
  slots: 1024,
  groupsPerStep: 128,
  episodesPerGroup: 8,
  callsPerEpisode: 2,
  asynchronous: { ...asynchronousDefaults, activeGroups: 128 },
  latency: { medianSeconds: 2, sigma: 1.2, leastSeconds: 0.05, mostSeconds: 30 },
  failures: 0.05,
  updateSeconds: 4,
  controller: { startSeconds: 0, callSeconds: 0, trainSeconds: 0 },
  steps: 60,
  warmUpSteps: 10,
  seed: 1,
};

/** What queue-live.ts measures: about a millisecond an episode, of which a third is training. */
const measured = { startSeconds: 0.0003, callSeconds: 0.00015, trainSeconds: 0.0004 };

const ways: Readonly<Record<string, () => void>> = {
  /** What the queue is to reach, at other windows and bounds. */
  target() {
    const { asynchronous } = fleet;
    for (const seed of [1, 2, 3]) report("target", { seed, asynchronous: asynchronousDefaults });
    for (const activeGroups of [96, 112, 128, 144])
      report("target", { asynchronous: { ...asynchronous, activeGroups } });
    for (const seed of [2, 3]) report("target", { seed });
    report("target", { asynchronous: { ...asynchronous, maxLag: 6 } });
    report("target", { asynchronous: { ...asynchronous, maxLag: 4 } });
    for (const maxLag of [4, 6]) report("target", { asynchronous: { ...asynchronous, maxLag, stale: "drop" } });
    const cutStragglers = { afterShare: 0.75, seconds: 10 };
    report("target", { asynchronous: { ...asynchronous, cutStragglers } });
  },
  /** An optimiser that is slower than its samplers. */
  slow() {
    for (const updateSeconds of [8, 16]) report("slow", { updateSeconds, steps: 40 });
  },
  /** The same batch of 1,024 episodes on more and more slots. */
  batch() {
    for (const slots of [1, 4, 16, 64, 256, 1024, 2048, 4096, 10_000]) {
      const activeGroups = Math.ceil(slots / 8);
      const maxLag = Math.max(8, Math.ceil(activeGroups / 16));
      const [steps, warmUpSteps] = slots < 1024 ? [20, 5] : [20 + 2 * maxLag, maxLag];
      report("batch", { slots, steps, warmUpSteps, asynchronous: { ...fleet.asynchronous, activeGroups, maxLag } });
    }
  },
  /** As many episodes in a batch as slots. */
  fleet() {
    for (const slots of [8, 64, 512, 1024, 4096, 10_000]) report("fleet", { slots, ...sized(slots) });
  },
  /** The same with a controller that takes its time. */
  controller() {
    for (const slots of [1024, 4096, 8192, 10_000])
      report("controller", { slots, ...sized(slots), controller: measured });
  },
};

function sized(slots: number): Partial<FleetParameters> {
  const groups = Math.ceil(slots / 8);
  return {
    groupsPerStep: groups,
    steps: 24,
    warmUpSteps: 8,
    asynchronous: { ...fleet.asynchronous, activeGroups: groups },
  };
}

function report(way: string, changed: Partial<FleetParameters>): void {
  const parameters = { ...fleet, ...changed };
  const { lags: _, ...forecast } = simulateFleet(parameters);
  const { slots, groupsPerStep, asynchronous, updateSeconds, seed } = parameters;
  const { activeGroups, maxLag, stale, cutStragglers } = asynchronous;
  print(`queue-forecast ${way}`, {
    slots,
    groupsPerStep,
    updateSeconds,
    activeGroups,
    maxLag,
    stale,
    cutStragglers,
    seed,
    ...rounded(forecast),
  });
}

function rounded(forecast: Omit<FleetForecast, "lags">): Record<string, unknown> {
  const text = JSON.stringify(forecast, (_, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(4)) : value,
  );
  return JSON.parse(text) as Record<string, unknown>;
}

const asked = process.argv.slice(2).filter((name) => name in ways);
for (const name of asked.length > 0 ? asked : Object.keys(ways)) ways[name]?.();
