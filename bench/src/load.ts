/**
 * `laconic serve` under clients half of whom are broken: service to the others, and cost for the server.
 *
 *     npm run load -- [--seconds 600] [--clients 200]
 *
 * Prints JSON. Exits with 1 if a limit of CONTRIBUTING.md is exceeded. Clients run on the server's machine.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { ask, brokenClient, healthyClient, misdeedNames, type Answered, type Target } from "./load/clients.ts";
import { machine, print } from "./measure.ts";
import { mebibytes, quantile, rowsIn, startWatched, type Sample } from "./load/watched.ts";
import { readOptions } from "./options.ts";

const { values } = readOptions({
  options: { seconds: { type: "string", default: "600" }, clients: { type: "string", default: "200" } },
});
const [seconds, clients] = [Number(values.seconds), Number(values.clients)];
if (!(seconds >= 1) || !(clients >= 2)) throw new Error("--seconds and --clients: expected at least 1 and 2");

/** Time limits of CONTRIBUTING.md need one core for the server and one for the clients. */
const limits = { growthMiB: 128, peakGrowthMiB: 256, loopP99Ms: 100, secondsToEnd: 5, slowdown: 50 };

/** Idle enough to judge time limits. */
const isQuiet = (loadavg()[0] as number) < availableParallelism();
const folder = mkdtempSync(join(tmpdir(), "laconic-load-"));
const samples = join(folder, "samples.jsonl");
const key = "a-key-of-this-bench";
const words = ["serve", "shipped", "--port", "0", "--device", "wasm", "--api-key-env", "LOAD_KEY"];
const server = startWatched(words, samples, { LOAD_KEY: key });
process.once("exit", () => server.child.kill("SIGKILL"));
const port = Number((await server.saysAddress()).split(":").at(-1));
const target: Target = { port, key, model: "relay-one-fact" };

const agent = new Agent({ keepAlive: false });
const alone: Answered[] = [];
for (let i = 0; i < 20; i++) alone.push(await ask(target, agent, i % 2 === 0));
const { text } = alone[0] as Answered;
if (alone.some((each) => each.status !== 200 || each.text !== text))
  throw new Error("an idle server replies differently");
await pause(3000);
const before = lastOf(rowsIn<Sample>(samples));

const ownLoop = monitorEventLoopDelay({ resolution: 10 });
ownLoop.enable();
const answers: Answered[] = [];
const failures = new Map<string, number>();
const statuses = new Map<number, number>();
const until = performance.now() + 1000 * seconds;
await Promise.all(
  Array.from({ length: clients }, async (_, i) => {
    await pause((2000 * i) / clients);
    if (i % 2 === 1) return brokenClient(target, i >> 1, until, (status) => count(statuses, status));
    return healthyClient(target, until, (heard) => {
      if (heard instanceof Error) count(failures, heard.message);
      else if (heard.status !== 200 || heard.text !== text) count(failures, `status ${heard.status}: ${heard.text}`);
      else answers.push(heard);
    });
  }),
);
ownLoop.disable();
const during = rowsIn<Sample>(samples);
// Requests of gone clients are still processed.
let after = lastOf(rowsIn<Sample>(samples));
const isHigher = ({ handles, rss }: Sample): boolean =>
  handles > before.handles || mebibytes(rss - before.rss) > limits.growthMiB;
for (let waited = 0; waited < 60 && (waited < 5 || isHigher(after)); waited++) {
  await pause(1000);
  after = lastOf(rowsIn<Sample>(samples));
}
const stopping = performance.now();
server.child.kill("SIGTERM");
const { code } = await server.ended;
const secondsToEnd = (performance.now() - stopping) / 1000;
const errors = server.said().match(/^error: .*$/gmu) ?? [];
rmSync(folder, { recursive: true });

const times = answers.map(({ milliseconds }) => milliseconds);
const quiet = quantile(
  alone.map(({ milliseconds }) => milliseconds),
  0.5,
);
const peak = Math.max(...during.map(({ rss }) => rss));
const result = {
  machine: machine(),
  seconds,
  clients,
  misdeeds: misdeedNames.length,
  healthy: { answered: answers.length, failures: Object.fromEntries(failures) },
  latencyMs: {
    alone: round(quiet),
    p50: round(quantile(times, 0.5)),
    p99: round(quantile(times, 0.99)),
    max: round(Math.max(...times)),
    machine: round(ownLoop.percentile(99) / 1e6),
  },
  statusesOfBroken: Object.fromEntries([...statuses].toSorted(([a], [b]) => a - b)),
  memoryMiB: { before: mebibytes(before.rss), peak: mebibytes(peak), after: mebibytes(after.rss) },
  eventLoopMs: {
    p99: round(
      quantile(
        during.map(({ p99Ms }) => p99Ms),
        0.99,
      ),
    ),
    max: round(Math.max(...during.map(({ maxMs }) => maxMs))),
  },
  handles: { before: before.handles, peak: Math.max(...during.map(({ handles }) => handles)), after: after.handles },
  errors: errors.slice(0, 5),
  ...(code !== 0 && { said: server.said().slice(-1000) }),
  secondsToEnd: round(secondsToEnd),
};
const passedInTime = [
  ...(quantile(times, 0.99) > limits.slowdown * quiet ? [`p99 is over ${limits.slowdown} times the median alone`] : []),
  ...(result.eventLoopMs.p99 > limits.loopP99Ms
    ? [`the event loop was blocked for over ${limits.loopP99Ms} ms at p99`]
    : []),
];
const passed = [
  ...(isQuiet ? passedInTime : []),
  ...(failures.size > 0 ? ["a healthy client got another reply than on an idle server"] : []),
  ...([...statuses.keys()].some((status) => status >= 500) || errors.length > 0
    ? ["the server reported an internal error"]
    : []),
  ...(mebibytes(peak - before.rss) > limits.peakGrowthMiB ? [`memory grew by over ${limits.peakGrowthMiB} MiB`] : []),
  ...(mebibytes(after.rss - before.rss) > limits.growthMiB
    ? [`memory stayed over ${limits.growthMiB} MiB higher`]
    : []),
  ...(after.handles > before.handles ? ["open handles remain"] : []),
  ...(code !== 0 || secondsToEnd > limits.secondsToEnd
    ? [`SIGTERM ended it with ${code} in ${round(secondsToEnd)} s`]
    : []),
];
print("load", { ...result, limitsPassed: passed, notJudged: isQuiet ? [] : passedInTime });
process.exitCode = passed.length === 0 ? 0 : 1;

function count<K>(counts: Map<K, number>, of: K): void {
  counts.set(of, (counts.get(of) ?? 0) + 1);
}
function lastOf(all: readonly Sample[]): Sample {
  const last = all.at(-1);
  if (!last) throw new Error("the server wrote no samples");
  return last;
}
function round(value: number): number {
  return Math.round(value * 10) / 10;
}
