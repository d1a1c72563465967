import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AdapterSource } from "@laconic/core";
import { askPython, type PythonAnswer } from "@laconic/core/platform";
import { createInlineEngine } from "@laconic/engine";
import { conformanceConfig, conformanceOptimizer } from "@laconic/engine/testing";
import { createReferenceKernels } from "../src/kernels/testing/index.ts";
import { familyConfigs } from "../src/testing/tiny-models.ts";
import { beforeAll, expect, test } from "vitest";
import { sharedFolder } from "../../../test/temporary-folder.ts";
import { defaultFiles } from "#platform";
import { SharedBases } from "../src/local/hosted-model/base-weights.ts";
import { createExchange, slotViews } from "../src/local/replicas/gradient-exchange.ts";
import { HostedModel } from "../src/local/hosted-model/hosted-model.ts";

interface Question {
  readonly base: string;
  readonly adapter: string;
  readonly resaved: string;
  readonly own: string;
  readonly sequences: typeof sequences;
  readonly dLogProbs: readonly number[];
  readonly logProbs: readonly number[];
}

interface Peft {
  readonly logProbs: readonly number[];
  readonly gradients: Readonly<Record<string, readonly number[]>>;
  readonly ownLogProbs: readonly number[];
}

const script = fileURLToPath(new URL("./python/peft_parity.py", import.meta.url));

const config = { ...conformanceConfig, architectures: ["Qwen2ForCausalLM"], model_type: "qwen2", vocab_size: 17 };
const sequences = [
  { promptTokens: [1, 2, 3], completionTokens: [4, 5, 6] },
  { promptTokens: [7, 8, 9, 10, 5], completionTokens: [2, 3] },
];
const dLogProbs = [0.5, -1.25, 2, 0.75, -0.5];

const cases = [
  { name: "all projections", config, lora: { rank: 4, alpha: 8 } },
  {
    name: "rsLoRA on some",
    config,
    lora: { rank: 3, alpha: 6, rankStabilized: true, targets: ["q_proj", "v_proj", "up_proj"] },
  },
  ...Object.entries(familyConfigs).map(([name, json]) => ({ name, config: json, lora: { rank: 4, alpha: 8 } })),
];

async function prepare({ config: json, lora }: (typeof cases)[number], root: string): Promise<Question> {
  const [base, adapter, resaved, own] = ["base", "adapter", "resaved", "own"].map((name) => join(root, name)) as [
    string,
    string,
    string,
    string,
  ];
  await Promise.all([base, adapter].map((path) => mkdir(path, { recursive: true })));
  const engine = await createInlineEngine([createReferenceKernels()]);
  await (await engine.createModel({ kind: "config", config: json, seed: 3 })).save(base);
  const model = await engine.createModel({ kind: "adapter", base: { kind: "folder", path: base }, lora, seed: 5 });
  // B starts as zeros, and A's gradient with it: one step away from there.
  await model.forwardBackward(sequences, () => Float64Array.from(dLogProbs));
  await model.optimStep({ ...conformanceOptimizer, learningRate: 0.1, maxGradNorm: Infinity });
  await model.save(adapter);
  const logProbs = [...(await model.forward(sequences)).logProbs.values];
  await engine.close();
  return { base, adapter, resaved, own, sequences, dLogProbs, logProbs };
}

const folder = sharedFolder();
let questions: readonly Question[] = [];
let outcome: PythonAnswer<readonly Peft[]> = { missing: "not asked" };
beforeAll(async () => {
  questions = await Promise.all(cases.map((item, i) => prepare(item, join(folder, String(i)))));
  outcome = await askPython(script, questions);
});

test.for(cases)(
  "loads an adapter in PEFT unchanged, with equal log-probs and gradients: $name",
  async (item, { skip }) => {
    if ("missing" in outcome) return skip(outcome.missing);
    const index = cases.indexOf(item);
    const [question, expected] = [questions[index] as Question, outcome.answer[index] as Peft];
    const close = { relative: 1e-5, absolute: 1e-5 };
    expect(question.logProbs).toBeAllclose(expected.logProbs, close);
    const base = { kind: "folder", path: question.base } as const;
    for (const path of [question.adapter, question.resaved]) {
      const { logProbs, gradients } = await gradientsOf({ kind: "adapter-folder", base, path });
      expect(logProbs).toBeAllclose(expected.logProbs, close);
      expect(Object.keys(gradients).toSorted()).toEqual(Object.keys(expected.gradients).toSorted());
      for (const [name, values] of Object.entries(gradients))
        expect(values).toBeAllclose(expected.gradients[name] as readonly number[], { relative: 1e-4, absolute: 1e-4 });
    }
    const engine = await createInlineEngine([createReferenceKernels()]);
    const ofPeft = await engine.createModel({ kind: "adapter-folder", base, path: question.own });
    expect((await ofPeft.forward(sequences)).logProbs.values).toBeAllclose(expected.ownLogProbs, close);
    await engine.close();
  },
);

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
