// The loop of asynchronous training on samplers and an engine that only sleep: 10,000 episodes in flight, how long the event loop is
// held up, what an episode costs the controller, and whether the heap grows.
//   npx tsx --expose-gc bench/archive/queue-live.ts [--virtual] [--episodes 10000] [--minutes 10] [--tokens 200] [--median 30] [--most 120]
// What is told of each turn of the event loop is the loop's own processor time, whatever else the machine does (Linux counts it in
// ticks of some milliseconds). With --virtual time goes from event to event, each with a turn of its own; in real time the wall's
// milliseconds stand beside it, one more than a turn and with what other processes take.
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { timerOf, type Timer } from "@laconic/rewards";
import { onePolicy, parseTrainConfig, silentRecorder, train } from "@laconic/trainer";
import { nullFleet, nullModel, tinySettings, tinyTask, virtualTimer } from "@laconic/trainer/testing";
import { machine, print, threadCpuMs } from "../src/measure.ts";

const { values } = parseArgs({
  options: {
    virtual: { type: "boolean", default: false },
    episodes: { type: "string", default: "10000" },
    minutes: { type: "string", default: "1" },
    tokens: { type: "string", default: "200" },
    median: { type: "string", default: "30" },
    most: { type: "string", default: "120" },
    groups: { type: "string", default: "128" },
  },
});
const [episodes, minutes, tokens] = [Number(values.episodes), Number(values.minutes), Number(values.tokens)];
const [groupsPerStep, episodesPerGroup] = [Number(values.groups), 8];
const activeGroups = Math.ceil(episodes / episodesPerGroup);
const maxLag = Math.ceil((8 * activeGroups) / groupsPerStep);
const latency = {
  medianSeconds: Number(values.median),
  sigma: 1.2,
  leastSeconds: 0.05,
  mostSeconds: Number(values.most),
};

let steps = 0;
let mostInFlight = 0;
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
/** Of each turn the loop's processor time and the time by the wall, and after how many steps. */
const turns: { ms: number; wallMs: number; steps: number }[] = [];
const moment = (): { cpu: number; wall: number } => ({ cpu: threadCpuMs(), wall: performance.now() });
let lastTurn = moment();
const turn = (): void => {
  const now = moment();
  turns.push({ ms: now.cpu - lastTurn.cpu, wallMs: now.wall - lastTurn.wall, steps });
  lastTurn = now;
};
const virtual = values.virtual ? virtualTimer() : null;
const counted = (inner: Timer): Timer => ({
  now: () => inner.now(),
  after: (milliseconds, call) =>
    inner.after(milliseconds, () => {
      if (virtual) turn();
      mostInFlight = Math.max(mostInFlight, fleet.inFlight);
      call();
    }),
});
const timer = counted(virtual ?? timerOf(globalThis));
const fleet = nullFleet(timer, { slots: episodes, latency, failures: 0.05 }, tokens);
const quick = nullFleet(timer, { slots: 1, latency: { ...latency, mostSeconds: 0.05 }, failures: 0 });
const model = nullModel(timer, 1);
const config = parseTrainConfig({
  ...tinySettings,
  steps: 1_000_000,
  problemsPerStep: groupsPerStep,
  episodesPerProblem: episodesPerGroup,
  minibatches: 4,
  prices: {},
  asynchronous: { activeGroups, maxLag, retries: 3 },
  evaluation: { every: 0, problems: 1, transcripts: 0 },
  checkpoint: { every: 1_000_000, keep: 2 },
});
const stop = new AbortController();
if (!virtual) setInterval(turn, 1); // after each turn of the event loop, or a few short ones
const heaps: Record<string, number>[] = [];
/** A collection that is asked for is not the loop's own work. */
const look = (): void => {
  globalThis.gc?.();
  const heapMiB = Math.round(process.memoryUsage().heapUsed / 2 ** 20);
  heaps.push({ minute: timer.now() / 60_000, heapMiB, inFlight: fleet.inFlight, steps });
  lastTurn = moment();
  if (!stop.signal.aborted) timer.after(60_000, look);
};
const lags: number[] = [];
const recorder = silentRecorder((metrics) => {
  steps += 1;
  lags.push(metrics["sampling/lag_steps"] ?? 0);
});
const parts = onePolicy(tinyTask("star"), model, (sampler) => (sampler === model ? quick : fleet).speak(sampler));

print("machine", machine());
const [began, spent] = [performance.now(), cpuMs()];
timer.after(minutes * 60_000, () => stop.abort());
look();
const trained = train({ ...parts, settings: config, recorder, signal: stop.signal, timer });
await (virtual ? virtual.run(trained) : trained);
const [seconds, cpu] = [(performance.now() - began) / 1000, cpuMs() - spent];
/** Functions are slow until they have been compiled. */
const warm = turns.filter((each) => each.steps >= 3);
print("queue-live", {
  virtual: values.virtual,
  episodes,
  activeGroups,
  groupsPerStep,
  episodesPerGroup,
  maxLag,
  tokens,
  latency,
  seconds: Math.round(seconds),
  steps,
  calls: fleet.calls,
  failed: fleet.failed,
  mostInFlight,
  turns: warm.length,
  turnCpuMs: ranks(warm.map(({ ms }) => ms)),
  ...(!virtual && { turnWallMs: ranks(warm.map(({ wallMs }) => wallMs)) }),
  cpuMsPerCall: rounded(cpu / fleet.calls),
  cpuMsPerTrainedEpisode: rounded(cpu / (steps * groupsPerStep * episodesPerGroup)),
  lagMean: rounded(lags.slice(-20).reduce((sum, lag) => sum + lag, 0) / Math.max(1, lags.slice(-20).length)),
  heaps: heaps.map((each) => ({ ...each, minute: rounded(each["minute"] as number) })),
});
process.exit(0);

function ranks(all: readonly number[]): Record<string, number> {
  const inOrder = Float64Array.from(all).toSorted();
  const rank = (share: number): number => rounded(inOrder[Math.ceil(share * inOrder.length) - 1] ?? 0);
  const mean = rounded(all.reduce((sum, each) => sum + each, 0) / Math.max(1, all.length));
  const over50 = all.filter((ms) => ms > 50).length;
  return { mean, p99: rank(0.99), p999: rank(0.999), p9999: rank(0.9999), max: rank(1), over50 };
}

function rounded(value: number): number {
  return Math.round(100 * value) / 100;
}
