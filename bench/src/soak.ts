/**
 * Real processes under random signals: a trainer, benches, `view` and `serve`, each used while it lives, killed and started again.
 *
 *     npm run soak -- [--minutes 60] [--seed 1] [--out FOLDER]
 *
 * Writes `soak.json` and `soak.md` into FOLDER. Ends with exit code 1 where a step or a sample was lost or counted twice, an answer was
 * wrong, an end was none of those that are documented, or memory grew by more than docs/soak-and-load.md states.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { randomFromSeed } from "@laconic/core";
import { machine } from "./measure.ts";
import { keepRunning, pause } from "./soak/actor.ts";
import { pageOf, reportOf } from "./soak/report.ts";
import { bench, serve, stepsIn, trainer, view, wrongSteps } from "./soak/roles.ts";
import { startWatched } from "./soak/watched.ts";
import { readOptions } from "./options.ts";

const { values } = readOptions({
  options: {
    minutes: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "runs/soak" },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error(`--minutes ${values.minutes}: expected a number above 0`);

/** MiB an hour: judged from an hour on, because a young process still grows. */
const maxSlope = 64;

const folder = resolve(values.out);
rmSync(folder, { recursive: true, force: true });
const runs = join(folder, "runs");
mkdirSync(runs, { recursive: true });
const run = join(runs, "train");
const random = randomFromSeed(values.seed);
const benches = await bench(folder);
const over = new AbortController();
process.once("SIGINT", () => over.abort());
const begun = performance.now();
/** The second half is quiet, so that memory can be measured. */
const pace = (): number => (performance.now() - begun < 30_000 * minutes ? 1 : 20);
const lives = [trainer(run), benches.role, view(runs), serve()].map((role) =>
  keepRunning(role, random.split(role.name), folder, pace, over.signal),
);
await pause(60_000 * minutes, over.signal);
over.abort();
const roles = (await Promise.all(lives)).map((lived) => reportOf(lived, folder));
benches.server.closeAllConnections();
benches.server.close();

const steps = stepsIn(run);
const wrong = [
  ...roles.flatMap((role) => role.wrong.map((what) => `${role.name}: ${what}`)),
  ...(await failureOf("a last resume", ["train", "--resume", "--run", run, `train.steps=${steps + 3}`])),
  ...wrongSteps(run).map((what) => `train, in the end: ${what}`),
  ...(stepsIn(run) === steps + 3 ? [] : [`train: the last resume ended at step ${stepsIn(run)}, not ${steps + 3}`]),
  ...(await failureOf("verify", ["verify", run, "--allow", "metrics,settings,weights,files"])),
  ...(await failureOf("doctor", ["doctor", run])),
  ...(minutes < 60 ? [] : roles)
    .filter(({ memorySlope }) => (memorySlope ?? 0) > maxSlope)
    .map(({ name, memorySlope }) => `${name}: memory grows by ${memorySlope} MiB an hour, more than ${maxSlope}`),
];
const facts = { minutes, seed: values.seed, steps: stepsIn(run), benches: benches.done() };
writeFileSync(
  join(folder, "soak.json"),
  `${JSON.stringify({ bench: "soak", machine: machine(), ...facts, roles, wrong }, null, 2)}\n`,
);
const told = Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, String(value)]));
writeFileSync(join(folder, "soak.md"), pageOf(told, roles, wrong));
process.stdout.write(pageOf(told, roles, wrong));
process.exitCode = wrong.length === 0 ? 0 : 1;

/** Runs a command to its end. @returns what is wrong with how it ended */
async function failureOf(what: string, words: readonly string[]): Promise<string[]> {
  const { ended, said } = startWatched(words, join(folder, "after.jsonl"));
  const { code } = await ended;
  return code === 0 ? [] : [`${what} ended with ${code}: ${said().slice(-1000)}`];
}
