/**
 * Runs the whole example: makes the small model, starts `laconic serve --train`, lets the team play until the server
 * ends, and prints rewards and times per step.
 *
 *     npx tsx examples/endpoint/train.ts [SEED]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "laconic-endpoint-"));
const [model, run] = [join(folder, "model"), join(folder, "run")];
const [, , seed = "0"] = process.argv;

const made = spawn(process.execPath, [...process.execArgv, here("model.ts"), model], { stdio: "inherit" });
const [failed] = (await once(made, "exit")) as [number];
if (failed !== 0) process.exit(failed);

const words = [`model=${model}`, "--run", run, "--seed", seed, "--port", "0"];
const laconic = here("../../apps/trainer/assets/laconic.mjs");
const server = spawn(process.execPath, [laconic, "serve", "--train", here("run.json"), ...words], {
  stdio: ["ignore", "inherit", "pipe"],
});
const ended = once(server, "exit");
const url = await new Promise<string>((resolve, reject) => {
  let notes = "";
  server.stderr.on("data", (chunk: Buffer) => {
    process.stderr.write(chunk);
    notes += chunk.toString();
    const [, found] = /training .* on (http:\S+)/u.exec(notes) ?? [];
    if (found !== undefined) resolve(found);
  });
  server.once("exit", () => reject(new Error("the server ended")));
});

const started = performance.now();
const team = spawn(process.execPath, [...process.execArgv, here("team.ts"), url], { stdio: "inherit" });
await ended;
const seconds = (performance.now() - started) / 1000;
team.kill();
const rows = (await readFile(join(run, "metrics.jsonl"), "utf8"))
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line) as Readonly<Record<string, number>>);
for (const row of rows)
  console.log(
    `step ${row["step"]}: right ${row["task/accuracy"]?.toFixed(2)}, tokens ${row["tokens/episode_mean"]?.toFixed(1)}, reward ${row["reward/mean"]?.toFixed(3)}`,
  );
console.log(`${rows.length} steps in ${seconds.toFixed(0)} s; ${run}`);
