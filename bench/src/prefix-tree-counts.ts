// What one micro-batch of each work of prefix-tree.ts costs a GPU's host, with prefixes passed once and every sequence by itself:
// operations that are enqueued, calls into PyTorch, and bytes that go up and come back. Counted on a stand-in for CUDA: no GPU.
//
// npx tsx bench/src/prefix-tree-counts.ts [--size 28M]
import { createInlineEngine } from "@laconic/engine";
import { standInKernels } from "@laconic/kernels-torch/testing";
import { print } from "./measure.ts";
import { qwen2Config } from "./model-geometry.ts";
import { stepSizes } from "./step/job.ts";
import { works, type Work } from "./prefix-tree/works.ts";
import { readOptions } from "./options.ts";

const { values: given } = readOptions({ options: { size: { type: "string", default: "28M" } } });
const size = stepSizes.find(({ name }) => name === given.size);
if (!size) throw new Error(`no size ${given.size}; there are ${stepSizes.map(({ name }) => name).join(", ")}`);
const config = qwen2Config({ ...size, positions: 1024 });

for (const work of works(size.vocabulary))
  for (const shared of [true, false])
    print("micro-batch on CUDA's stand-in", {
      work: work.name,
      model: size.name,
      shared,
      ...(await counted(work, shared)),
    });

/** The second of two equal micro-batches: the first makes what is kept. */
async function counted({ sequences }: Work, shared: boolean): Promise<Record<string, number>> {
  const { kernels } = standInKernels();
  const engine = await createInlineEngine([kernels], { sharePrefixes: shared, maxTokensPerMicroBatch: 2 ** 20 });
  const model = await engine.createModel({ kind: "config", config, seed: 1 });
  const pass = (): ReturnType<typeof model.forwardBackward> =>
    model.forwardBackward(sequences, ({ values }) => new Float64Array(values.length).fill(1));
  await pass();
  const before = kernels.counters?.();
  const { rowsPassed } = await pass();
  const after = kernels.counters?.();
  await engine.close();
  if (!before || !after) throw new Error("the stand-in counts nothing");
  const { operations, nativeCalls, bytesToDevice, bytesToHost } = after;
  return {
    rows: rowsPassed ?? 0,
    operations: operations - before.operations,
    nativeCalls: nativeCalls - before.nativeCalls,
    bytesUp: bytesToDevice - before.bytesToDevice,
    bytesBack: bytesToHost - before.bytesToHost,
  };
}
