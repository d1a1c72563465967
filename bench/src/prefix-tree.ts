// Compares an update over a prefix tree with one over separate sequences: ours, and TRL's GRPOTrainer. All sides use one
// checkpoint and equal sequences; CPU seconds of one thread. TRL needs Python: LACONIC_PYTHON or .venv.
//
// npx tsx bench/src/prefix-tree.ts [--sizes 28M] [--sides tree,packed,wasm,wasm-packed,trl] [--works 0,1,2,3,4] [--steps 2]
import { randomFromSeed } from "@laconic/core";
import { prefixForest } from "@laconic/engine";
import { machine, print, round3 } from "./measure.ts";
import type { UpdateJob, UpdateResult } from "./prefix-tree/job.ts";
import { works, type Work } from "./prefix-tree/works.ts";
import { peer, runOurs } from "./processes.ts";
import { resultOf, threadsEnvironment, withCheckpoint } from "./step/prepare.ts";
import { advantagesOf } from "./step/update.ts";
import { readOptions } from "./options.ts";

const { values: given } = readOptions({
  options: {
    sizes: { type: "string", default: "28M" },
    sides: { type: "string", default: "tree,packed,trl" },
    works: { type: "string", default: "0,1,2,3,4" },
    steps: { type: "string", default: "2" },
  },
});

print("machine", machine());
for (const name of given.sizes.split(","))
  await withCheckpoint(name, { positions: 1024 }, ({ vocabulary }, checkpoint, parameters) => {
    const all = works(vocabulary);
    for (const index of given.works.split(",")) compare(all[Number(index)]!, checkpoint, { model: name, parameters });
  });

function compare({ sequences, groupSize, name }: Work, checkpoint: string, about: object): void {
  const rewards = randomFromSeed("rewards");
  const advantages = advantagesOf(
    sequences.map(() => rewards.uniform()),
    groupSize,
  );
  const job = { checkpoint, sequences, advantages, maxTokens: 16_384, threads: 1, steps: Number(given.steps) };
  const tokens = prefixForest(sequences, { shared: false }).tokens.length;
  const nodes = prefixForest(sequences).tokens.length;
  const results = given.sides.split(",").flatMap((side) => {
    const result = run(side, job);
    return result ? [[side, result] as const] : [];
  });
  const { trl } = Object.fromEntries(results);
  for (const [side, { side: library, ...result }] of results) {
    const share = trl && side !== "trl" && { "of trl": round3(result.seconds / trl.seconds) };
    print("update", { work: name, ...about, on: side, library, tokens, nodes, ...result, ...share });
  }
}

function run(side: string, job: Omit<UpdateJob, "shared">): UpdateResult | null {
  const options = { input: { ...job, shared: !side.endsWith("packed") }, env: threadsEnvironment(job.threads) };
  const device = side.startsWith("wasm") ? "wasm" : "cpu";
  return resultOf(
    side,
    side === "trl"
      ? peer("trl_update.py", options.input, options)
      : runOurs("prefix-tree/own-side.ts", [device], options),
  ) as UpdateResult | null;
}
