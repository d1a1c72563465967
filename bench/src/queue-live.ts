// The loop of asynchronous training in real time, on samplers and an engine that only sleep: 10,000 episodes in flight, how long
// the event loop is held up, what an episode costs the controller, and whether the heap grows.
//   npx tsx --expose-gc bench/src/queue-live.ts [--episodes 10000] [--minutes 10] [--tokens 200] [--median 20] [--steps-seconds 4]
import { monitorEventLoopDelay, performance, PerformanceObserver } from "node:perf_hooks";
import { parseArgs } from "node:util";
import { timerOf } from "@laconic/rewards";
import { onePolicy, parseTrainConfig, silentRecorder, train } from "@laconic/trainer";
import { nullFleet, nullModel, tinySettings, tinyTask } from "@laconic/trainer/testing";
import { machine, print } from "./measure.ts";

const { values } = parseArgs({
  options: {
    episodes: { type: "string", default: "10000" },
    minutes: { type: "string", default: "1" },
    tokens: { type: "string", default: "200" },
    median: { type: "string", default: "20" },
    most: { type: "string", default: "300" },
    groups: { type: "string", default: "128" },
  },
});
const [episodes, minutes, tokens] = [Number(values.episodes), Number(values.minutes), Number(values.tokens)];
const [groupsPerStep, episodesPerGroup] = [Number(values.groups), 8];
const activeGroups = Math.ceil(episodes / episodesPerGroup);
const maxLag = Math.ceil((2 * activeGroups) / groupsPerStep);
const timer = timerOf(globalThis);
const latency = {
  medianSeconds: Number(values.median),
  sigma: 1.2,
  leastSeconds: 0.05,
  mostSeconds: Number(values.most),
};
const fleet = nullFleet(timer, { slots: episodes, latency, failures: 0.05 }, tokens);
const model = nullModel(timer, 1);
const config = parseTrainConfig({
  ...tinySettings,
  ...{
    steps: 1_000_000,
    problemsPerStep: groupsPerStep,
    episodesPerProblem: episodesPerGroup,
    minibatches: 4,
    prices: {},
  },
  asynchronous: { activeGroups, maxLag, retries: 3 },
  evaluation: { every: 0, problems: 1, transcripts: 0 },
  checkpoint: { every: 1_000_000, keep: 2 },
});
const stop = new AbortController();
const delay = monitorEventLoopDelay({ resolution: 1 });
const [heaps, lags]: [{ minute: number; heapMiB: number; inFlight: number; steps: number }[], number[]] = [[], []];
let [steps, mostInFlight, isListening] = [0, 0, false];
print("machine", machine());
const began = performance.now();
const minute = (): number => (performance.now() - began) / 60_000;
const watch = setInterval(() => {
  mostInFlight = Math.max(mostInFlight, fleet.inFlight);
}, 100);
// What other processes hold up is not the loop's own: of a late beat counts what this process computed meanwhile.
const beats = 5;
/** Functions are slow until they have been compiled. */
const warmUpSteps = 2;
let [mostStallMs, lastBeat, lastCpu] = [0, performance.now(), process.cpuUsage()];
const own: number[] = [];
const collections: { at: number; ms: number }[] = [];
const slowest: { at: number; ms: number; steps: number; to: number }[] = [];
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries())
    if (isListening) collections.push({ at: startTime, ms: duration });
}).observe({ entryTypes: ["gc"] });
const listen = setInterval(() => {
  const [now, spent] = [performance.now(), process.cpuUsage(lastCpu)];
  const stall = Math.min(now - lastBeat - beats, (spent.user + spent.system) / 1000);
  if (isListening && steps >= warmUpSteps) own.push(stall);
  if (isListening && stall > 30) slowest.push({ at: lastBeat, ms: stall, steps, to: now });
  mostStallMs = isListening ? Math.max(mostStallMs, stall) : mostStallMs;
  [lastBeat, lastCpu] = [now, process.cpuUsage()];
}, beats);
// A collection holds up the event loop itself: what it takes is not the loop's.
let last = -1;
const beat = setInterval(() => {
  const now = Math.floor(minute() * 2);
  if (now === last) return;
  last = now;
  delay.disable();
  isListening = false;
  globalThis.gc?.();
  heaps.push({
    minute: now / 2,
    heapMiB: Math.round(process.memoryUsage().heapUsed / 2 ** 20),
    inFlight: fleet.inFlight,
    steps,
  });
  setTimeout(() => {
    delay.enable();
    isListening = true;
  }, 50);
}, 1000);
delay.enable();
setTimeout(() => stop.abort(), minutes * 60_000);
const cpu = process.cpuUsage();
const recorder = silentRecorder((metrics) => {
  steps += 1;
  lags.push(metrics["sampling/lag_steps"] ?? 0);
});
const quick = nullFleet(timer, { slots: 1, latency: { ...latency, mostSeconds: 0.05 }, failures: 0 });
const parts = onePolicy(tinyTask("star"), model, (sampler) => (sampler === model ? quick : fleet).speak(sampler));
await train(parts, config, recorder, stop.signal, timer);
delay.disable();
clearInterval(watch);
clearInterval(listen);
clearInterval(beat);
const used = process.cpuUsage(cpu);
const seconds = (performance.now() - began) / 1000;
const cpuSeconds = (used.user + used.system) / 1e6;
const pauses = collections.map(({ ms }) => ms);
const rounded = (nanoseconds: number): number => Math.round(nanoseconds / 1e4) / 100;
print("queue-live", {
  ...{ episodes, activeGroups, groupsPerStep, episodesPerGroup, maxLag, tokens, latency, failures: 0.05 },
  ...{ seconds: Math.round(seconds), steps, calls: fleet.calls, failed: fleet.failed, mostInFlight },
  eventLoopDelayMs: {
    p50: rounded(delay.percentile(50)),
    p99: rounded(delay.percentile(99)),
    p999: rounded(delay.percentile(99.9)),
    max: rounded(delay.max),
  },
  slowest: slowest
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, 12)
    .map(({ at, ms, steps: done, to }) => ({
      at: Math.round(at - began),
      ms: Math.round(ms),
      steps: done,
      gcMs: Math.round(
        collections.filter((each) => each.at >= at && each.at <= to).reduce((sum, each) => sum + each.ms, 0),
      ),
    })),
  ownStallMs: {
    p99: rank(own, 0.99),
    p9999: rank(own, 0.9999),
    max: rank(own, 1),
    withWarmUp: Math.round(mostStallMs),
  },
  collectionMs: { count: collections.length, p99: rank(pauses, 0.99), max: rank(pauses, 1) },
  controller: {
    share: Math.round((100 * cpuSeconds) / seconds) / 100,
    cpuMsPerCall: Math.round((1e5 * cpuSeconds) / fleet.calls) / 100,
    cpuMsPerTrainedEpisode: Math.round((1e5 * cpuSeconds) / (steps * groupsPerStep * episodesPerGroup)) / 100,
  },
  lagMean: lags.slice(-50).reduce((sum, lag) => sum + lag, 0) / Math.max(1, lags.slice(-50).length),
  heaps,
});
process.exit(0);

function rank(stalls: readonly number[], share: number): number {
  const inOrder = Float64Array.from(stalls).toSorted();
  return Math.round(100 * (inOrder[Math.ceil(share * inOrder.length) - 1] ?? 0)) / 100;
}
