import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AdapterSource } from "@laconic/core";
import { askPython } from "@laconic/core/platform";
import { createInlineEngine } from "@laconic/engine";
import { conformanceConfig, conformanceOptimizer } from "@laconic/engine/testing";
import { createReferenceKernels } from "../src/kernels/testing/index.ts";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { defaultFiles } from "#platform";
import { SharedBases } from "../src/local/hosted-model/base-weights.ts";
import { createExchange, slotViews } from "../src/local/replicas/gradient-exchange.ts";
import { HostedModel } from "../src/local/hosted-model/hosted-model.ts";

interface Peft {
  readonly logProbs: readonly number[];
  readonly gradients: Readonly<Record<string, readonly number[]>>;
  readonly ownLogProbs: readonly number[];
}

const script = fileURLToPath(new URL("./python/peft_parity.py", import.meta.url));

const config = { ...conformanceConfig, architectures: ["Qwen2ForCausalLM"], model_type: "qwen2", vocab_size: 17 };
const sequences = [
  { promptTokens: [1, 2, 3], completionTokens: [4, 5, 6] },
  { promptTokens: [7, 8, 9, 10, 11], completionTokens: [12, 13] },
];
const dLogProbs = [0.5, -1.25, 2, 0.75, -0.5];

test.for([
  { name: "all projections", lora: { rank: 4, alpha: 8 } },
  {
    name: "rsLoRA on some",
    lora: { rank: 3, alpha: 6, rankStabilized: true, targets: ["q_proj", "v_proj", "up_proj"] },
  },
])("loads an adapter in PEFT unchanged, with equal log-probs and gradients: $name", async ({ lora }, { skip }) => {
  const folder = await temporaryFolder();
  const [base, adapter, resaved, own] = ["base", "adapter", "resaved", "own"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
    string,
  ];
  await Promise.all([base, adapter].map((text) => mkdir(text)));
  const engine = await createInlineEngine([createReferenceKernels()]);
  await (await engine.createModel({ kind: "config", config, seed: 3 })).save(base);
  const source = { kind: "folder", path: base } as const;
  const model = await engine.createModel({ kind: "adapter", base: source, lora, seed: 5 });
  // B starts as zeros, and A's gradient with it: one step away from there.
  await model.forwardBackward(sequences, () => Float64Array.from(dLogProbs));
  await model.optimStep({ ...conformanceOptimizer, learningRate: 0.1, maxGradNorm: Infinity });
  await model.save(adapter);

  const outcome = await askPython<Peft>(script, { base, adapter, resaved, own, sequences, dLogProbs });
  if ("missing" in outcome) return skip(outcome.missing);
  const expected = outcome.answer;

  expect((await model.forward(sequences)).logProbs.values).toBeAllclose(expected.logProbs, {
    relative: 1e-5,
    absolute: 1e-5,
  });
  for (const path of [adapter, resaved]) {
    const { logProbs, gradients } = await gradientsOf({ kind: "adapter-folder", base: source, path });
    expect(logProbs).toBeAllclose(expected.logProbs, { relative: 1e-5, absolute: 1e-5 });
    expect(Object.keys(gradients).toSorted()).toEqual(Object.keys(expected.gradients).toSorted());
    for (const [name, values] of Object.entries(gradients))
      expect(values).toBeAllclose(expected.gradients[name] as readonly number[], {
        relative: 1e-4,
        absolute: 1e-4,
      });
  }
  const ofPeft = await engine.createModel({ kind: "adapter-folder", base: source, path: own });
  expect((await ofPeft.forward(sequences)).logProbs.values).toBeAllclose(expected.ownLogProbs, {
    relative: 1e-5,
    absolute: 1e-5,
  });
});

async function gradientsOf(
  source: AdapterSource,
): Promise<{ logProbs: Float64Array; gradients: Record<string, readonly number[]> }> {
  const kernels = createReferenceKernels();
  const options = {
    recompute: "layer",
    optimizer: "device",
    sharePrefixes: true,
    limits: {},
    files: defaultFiles,
  } as const;
  const model = await HostedModel.open(kernels, source, options, new SharedBases(kernels, defaultFiles));
  const { outputs: logProbs } = await model.forwardForGradient(sequences, [0, 1]);
  model.backward(Float64Array.from(dLogProbs));
  const exchange = createExchange(model.facts.trainableParameters, 1, "float64");
  await model.exportGradient(exchange, 0);
  const views = slotViews(exchange, 0, model.live);
  const gradients = Object.fromEntries(views.map(({ name, values }) => [name, Array.from(values)]));
  model.dispose();
  expect(kernels.liveTensors()).toBe(0);
  return { logProbs, gradients };
}
