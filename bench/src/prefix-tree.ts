// Compares an update over a prefix tree with one over separate sequences: ours, TRL's GRPOTrainer, and transformers.
// All sides use one checkpoint and equal sequences; CPU seconds of one thread. Peers need Python with trl:
// LACONIC_PYTHON or .venv.
//
// npx tsx bench/src/prefix-tree.ts [--sizes 28M] [--sides tree,packed,wasm,wasm-packed,trl,transformers] [--works 0,1,2,3,4] [--steps 2] [--rounds 1]
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { randomFromSeed } from "@laconic/core";
import { prefixForest } from "@laconic/engine";
import { machine, print, round3 } from "./measure.ts";
import type { UpdateJob, UpdateResult } from "./prefix-tree/job.ts";
import { works, type Work } from "./prefix-tree/works.ts";
import { lastOf, peer, python, runOurs } from "./processes.ts";
import { stepSizes } from "./step/job.ts";
import { saveModel } from "./step/prepare.ts";
import { advantagesOf } from "./step/update.ts";
import { readOptions } from "./options.ts";

const { values: given } = readOptions({
  options: {
    sizes: { type: "string", default: "28M" },
    sides: { type: "string", default: "tree,packed,trl,transformers" },
    works: { type: "string", default: "0,1,2,3,4" },
    steps: { type: "string", default: "2" },
    rounds: { type: "string", default: "1" },
  },
});

print("machine", machine());
for (const name of given.sizes.split(",")) {
  const size = stepSizes.find((each) => each.name === name);
  if (!size) throw new Error(`unknown size ${name}; known: ${stepSizes.map((each) => each.name).join(", ")}`);
  const checkpoint = await mkdtemp(join(tmpdir(), "laconic-bench-"));
  try {
    const parameters = await saveModel({ ...size, positions: 1024 }, checkpoint);
    const all = works(size.vocabulary);
    for (const index of given.works.split(",")) {
      const work = all[Number(index)] as Work;
      compare(work, { model: name, parameters, checkpoint });
    }
  } finally {
    await rm(checkpoint, { recursive: true });
  }
}

function compare(
  work: Work,
  { checkpoint, ...about }: { readonly model: string; readonly parameters: number; readonly checkpoint: string },
): void {
  const { sequences, groupSize, name } = work;
  const rewards = randomFromSeed("rewards");
  const raw = sequences.map(() => rewards.uniform());
  const advantages = advantagesOf(raw, groupSize);
  const job = { checkpoint, sequences, advantages, maxTokens: 16_384, threads: 1, steps: Number(given.steps) };
  const tokens = prefixForest(sequences, { shared: false }).tokens.length;
  const nodes = prefixForest(sequences).tokens.length;
  const best = new Map<string, UpdateResult>();
  for (let round = 0; round < Number(given.rounds); round++)
    for (const side of given.sides.split(",")) {
      const result = run(side, job);
      const known = best.get(side);
      if (result && !(known && known.seconds < result.seconds)) best.set(side, result);
    }
  for (const [side, { side: library, ...result }] of best) {
    const shares: Record<string, number> = {};
    for (const peerName of ["trl", "transformers"]) {
      const other = best.get(peerName);
      if (other && peerName !== side) shares[`of ${peerName}`] = round3(result.seconds / other.seconds);
    }
    print("update", { work: name, ...about, on: side, library, tokens, nodes, ...result, ...shares });
  }
}

function run(side: string, job: Omit<UpdateJob, "shared">): UpdateResult | null {
  const env = {
    ...(existsSync(python) && { LACONIC_PYTHON: python }),
    OMP_NUM_THREADS: String(job.threads),
    MKL_NUM_THREADS: String(job.threads),
  };
  const input = { ...job, shared: !side.endsWith("packed") };
  const ran =
    side === "trl" || side === "transformers"
      ? peer("sequences_update.py", input, { env, words: [side] })
      : runOurs("prefix-tree/own-side.ts", [side.startsWith("wasm") ? "wasm" : "cpu"], { input, env });
  const result = lastOf(ran);
  if (!("failed" in result)) return result as unknown as UpdateResult;
  print("skipped", { side, why: result["failed"] });
  return null;
}
