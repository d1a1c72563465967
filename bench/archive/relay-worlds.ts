// The small worlds of AgentPO and MAGRPO, ten seeds each: `laconic train preset:NAME`, in folders of their own. For the two
// with an actor that does not learn, also the actor alone, on 1,000 test problems.
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { relayCriticTask, relayHintTask } from "@laconic/tasks";
import { randomFromSeed } from "@laconic/core";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import { wilson } from "@laconic/evaluation";
import { wasmKernels } from "@laconic/kernels-wasm";
import { machine, print } from "../src/measure.ts";

const root = join(import.meta.dirname, "../..");
print("machine", machine());

const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });
const shipped = { kind: "folder", path: join(root, "packages/runtime/assets/relay-one-fact") } as const;
for (const task of [relayHintTask({ testProblems: 1000 }), relayCriticTask({ testProblems: 1000 })]) {
  const actor = localPolicy({ id: "actor", sampler: await engine.createModel(shipped), tokenizer: task.tokenizer });
  const grades = await Promise.all(
    task.testProblems.map(async (problem, i) => {
      const context = { models: { actor }, sampling: { temperature: 0 }, random: randomFromSeed(i) };
      return task.grader((await task.actorAlone.run(problem, context)).answer, problem);
    }),
  );
  const right = grades.reduce((sum, grade) => sum + grade, 0);
  print("actor alone", { world: task.name, accuracy: wilson(right, grades.length) });
}
await engine.close();

const folder = await mkdtemp(join(tmpdir(), "laconic-worlds-"));
for (const world of ["relay-hint", "relay-critic", "relay-actor", "relay-writers", "relay-feedback"])
  for (const seed of [77, 78, 79, 80, 81, 82, 83, 84, 85, 86]) {
    const run = join(folder, `${world}-${seed}`);
    const words = ["train", `preset:${world}`, `train.seed=${seed}`, "--run", run, "--json"];
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts/laconic.mjs"), ...words], {
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
    print(world, { seed, ...(JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}") as Record<string, unknown>) });
  }
await rm(folder, { recursive: true });
