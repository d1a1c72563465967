// Launches and bytes of one micro-batch of training on CUDA, counted without a GPU: 8 replies of 300 tokens to one prompt of
// 200 at the shape of Qwen2.5-0.5B, with gradients that are added to those of a micro-batch before. With PyTorch's kernels
// alone and with our own programs, over the tree of shared prompts and over whole sequences. One JSON object a line.
//   npx tsx bench/src/gpu/counts.ts [--by-name] [--out FILE]
// FILE keeps its rows of `code: "before"`, counted in the same way at an earlier commit; shares are of those.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { parseModelConfig, type Recompute } from "@laconic/engine";
import { countedTraining, type Traffic } from "@laconic/kernels-torch/testing";
import { halfBillion } from "./geometry.ts";
import { microBatch } from "./micro-batch.ts";
import { print } from "../measure.ts";
import { readOptions } from "../options.ts";

interface Row extends Traffic {
  readonly over: "tree" | "sequences";
  readonly recompute: Recompute;
  readonly programs: boolean;
  readonly code: "before" | "now";
}

const { values: flags } = readOptions({
  options: { "by-name": { type: "boolean", default: false }, out: { type: "string" } },
});
const config = parseModelConfig(halfBillion.config);
const size = { replies: 8, promptTokens: 200, completionTokens: 300 } as const;
const rows: Row[] = [];
for (const over of ["tree", "sequences"] as const)
  for (const recompute of ["none", "layer"] as const)
    for (const programs of [false, true]) rows.push(count(over, recompute, programs));
const before = flags.out !== undefined && existsSync(flags.out) ? readRows(flags.out) : [];
const all = [...before, ...rows.map((row) => ({ ...row, ...sharesOf(row) }))];
for (const row of all) print("micro-batch", { ...row });
if (flags.out !== undefined) writeFileSync(flags.out, all.map((row) => `${JSON.stringify(row)}\n`).join(""));

function count(over: Row["over"], recompute: Recompute, programs: boolean): Row {
  const counted = countedTraining({ programs });
  const train = microBatch(counted.kernels, config, { ...size, sharePrefixes: over === "tree", recompute });
  train();
  const [total, names] = [
    { ...counted.total },
    new Map(Array.from(counted.byName, ([name, each]) => [name, { ...each }])),
  ];
  train();
  if (flags["by-name"])
    for (const [name, traffic] of counted.byName) {
      const launches = traffic.launches - (names.get(name)?.launches ?? 0);
      const megabytes = Math.round((traffic.bytes - (names.get(name)?.bytes ?? 0)) / 1e6);
      print("operation", { over, recompute, programs, name, launches, megabytes });
    }
  const launches = counted.total.launches - total.launches;
  return { over, recompute, programs, code: "now", launches, bytes: counted.total.bytes - total.bytes };
}

function readRows(file: string): Row[] {
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Row).filter(({ code }) => code === "before");
}

/** Of what the same micro-batch came to before, by PyTorch's kernels. */
function sharesOf({ over, recompute, launches, bytes }: Row): Record<string, number> {
  const then = before.find((row) => row.over === over && row.recompute === recompute && !row.programs);
  return then ? { launchShare: launches / then.launches, byteShare: bytes / then.bytes } : {};
}
