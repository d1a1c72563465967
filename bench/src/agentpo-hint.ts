// AgentPO's hint and actor on the relay: the frozen actor alone, with an untrained hint, with a trained one. Three seeds of
// `laconic train preset:agentpo-hint`, in folders of their own; 1,000 held-out problems for the actor alone.
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { relayHintTask } from "@laconic/benchmarks";
import { randomFromSeed } from "@laconic/core";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import { wilson } from "@laconic/evaluation";
import { wasmKernels } from "@laconic/kernels-tfjs";
import { machine, print } from "./measure.ts";

const root = join(import.meta.dirname, "../..");
print("machine", machine());

const task = relayHintTask({ heldOut: 1000 });
const engine = await createLocalEngine({ device: wasmKernels(), workers: 1 });
const shipped = { kind: "folder", path: join(root, "apps/trainer/assets/relay-one-fact") } as const;
const actor = localPolicy({ id: "actor", sampler: await engine.createModel(shipped), tokenizer: task.tokenizer });
const grades = await Promise.all(
  task.heldOut.map(async (problem, i) => {
    const context = { models: { actor }, sampling: { temperature: 0 }, random: randomFromSeed(i) };
    return task.grader((await task.actorAlone.run(problem, context)).answer, problem);
  }),
);
await engine.close();
print("actor alone", {
  accuracy: wilson(
    grades.reduce((sum, grade) => sum + grade, 0),
    grades.length,
  ),
});

const folder = await mkdtemp(join(tmpdir(), "laconic-agentpo-"));
for (const seed of [0, 1, 2]) {
  const words = ["train", "preset:agentpo-hint", `train.seed=${seed}`, "--run", join(folder, String(seed)), "--json"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts/laconic.mjs"), ...words], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  print("agentpo-hint", { seed, ...(JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}") as Record<string, unknown>) });
}
await rm(folder, { recursive: true });
