// AgentPO against tuning the actor itself: the same world, policy, replies, steps and optimiser, and another one of the two agents
// learns. Three worlds: the actor lacks a fact, it lacks the words for a short answer, or both. A line of JSON for each run, with its
// test problems before and after.
//   npx tsx bench/src/studies/hint-or-actor.ts --seeds 0-9 --out docs/results/hint-or-actor.jsonl
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machine, print } from "../measure.ts";
import { root } from "../processes.ts";
import { readOptions } from "../options.ts";
import { keepRow, seedsOf } from "../rows.ts";

const worlds = {
  "lacks a fact": {},
  "lacks short words": { actorReads: "everything", actorTokens: 6 },
  "lacks both": { actorTokens: 6 },
} as const;

const { values: flags } = readOptions({
  options: { seeds: { type: "string", default: "0-9" }, out: { type: "string" } },
});
const folder = await mkdtemp(join(tmpdir(), "laconic-hint-"));
const rows: Row[] = [];
print("machine", machine());

/** Shares of test problems that are right; before training on the validation problems. */
interface Row {
  readonly world: string;
  readonly learns: "collaborator" | "actor";
  readonly seed: number;
  readonly before: number;
  readonly test: number;
  readonly tokens: number;
  readonly seconds: number;
}

async function train(world: keyof typeof worlds, learns: Row["learns"], seed: number): Promise<Row> {
  const run = join(folder, `${world}-${learns}-${seed}`.replaceAll(" ", "-"));
  const task = JSON.stringify({ name: "relay-hint", ...worlds[world], learns });
  const words = ["train", "preset:relay-hint", `task=${task}`, `train.seed=${seed}`, "--run", run, "--json"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts/laconic.mjs"), ...words], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  const { before, seconds } = JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}") as {
    readonly before: { readonly accuracy: number };
    readonly seconds: number;
  };
  const test = JSON.parse(await readFile(join(run, "test.json"), "utf8")) as { accuracy: number; tokens: number };
  await rm(run, { recursive: true });
  const row = { world, learns, seed, before: before.accuracy, test: test.accuracy, tokens: test.tokens, seconds };
  return { ...row, seconds: Math.round(seconds) };
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const percent = (values: readonly number[]): string =>
  `${(100 * mean(values)).toFixed(1)} (${(100 * Math.min(...values)).toFixed(1)} to ${(100 * Math.max(...values)).toFixed(1)})`;

for (const world of Object.keys(worlds) as (keyof typeof worlds)[])
  for (const learns of ["collaborator", "actor"] as const) {
    for (const seed of seedsOf(flags.seeds)) {
      const row = await train(world, learns, seed);
      rows.push(row);
      print("run", { ...row });
      keepRow(flags.out, row);
    }
    const own = rows.filter((row) => row.world === world && row.learns === learns);
    const [before, test] = [own.map((row) => row.before), own.map((row) => row.test)];
    console.error(`| ${world} | ${learns} | ${percent(before)} | ${percent(test)} |`);
  }
await rm(folder, { recursive: true });
