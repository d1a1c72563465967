// One GSPO step (rollout, update) on libtorch beside TRL's GRPOTrainer on the same cores: the same random Qwen2
// checkpoint, prompts and batch, one after the other in one run. Needs Python with trl: LACONIC_PYTHON or .venv.
// With LACONIC_DEVICES, the folder of `laconic doctor --enable tensorflow`, TensorFlow runs too.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { randomFromSeed, type Engine, type SampleRequest, type TrainableModel } from "@laconic/core";
import { createLocalEngine } from "@laconic/engine";
import { gspo } from "@laconic/gspo";
import { tensorFlowKernels, wasmKernels } from "@laconic/kernels-tfjs";
import { torchKernels } from "@laconic/kernels-torch";
import { machine, print } from "./measure.ts";

const root = join(import.meta.dirname, "../..");
const [promptCount, generations, promptTokens, maxTokens, endToken] = [8, 8, 16, 64, 1];
const extra = process.env["LACONIC_DEVICES"];
const devices = {
  cpu: torchKernels({ device: "cpu" }),
  wasm: wasmKernels(),
  tensorflow: tensorFlowKernels(extra === undefined ? {} : { modules: join(extra, "tensorflow") }),
} as const;

interface Size {
  readonly name: string;
  readonly hidden: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly feedForward: number;
  readonly steps: number;
  readonly devices: readonly (keyof typeof devices)[];
}

const sizes: readonly Size[] = [
  {
    name: "0.1M",
    hidden: 64,
    layers: 2,
    heads: 4,
    kvHeads: 2,
    feedForward: 192,
    steps: 12,
    devices: extra === undefined ? ["cpu", "wasm"] : ["cpu", "wasm", "tensorflow"],
  },
  { name: "4.7M", hidden: 256, layers: 6, heads: 8, kvHeads: 4, feedForward: 768, steps: 4, devices: ["cpu"] },
];

interface Speed {
  readonly rolloutSeconds: number;
  readonly updateSeconds: number;
  readonly secondsPerStep: number;
}

print("machine", machine());
for (const size of sizes) await compare(size);

async function compare(size: Size): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-bench-"));
  try {
    const own: Record<string, Speed> = {};
    let peer: Speed | null = null;
    // The shorter of two rounds each: on a shared machine the longer one measures the neighbours.
    for (let round = 0; round < 2; round++) {
      for (const device of size.devices) {
        const engine = await createLocalEngine({ device: devices[device] });
        const model = await open(engine, size, folder);
        await runSteps(model, 2);
        own[device] = shorter(own[device] ?? null, await runSteps(model, size.steps));
        if (round === 1)
          print("step", {
            model: size.name,
            parameters: model.parameters,
            device: engine.capabilities.backend,
            ...own[device],
          });
        await engine.close();
      }
      peer = shorter(peer, runPeer(folder, size));
    }
    const cpu = own["cpu"] as Speed;
    if (!peer) return;
    print("peer", { model: size.name, ...peer });
    print("ratio", {
      model: size.name,
      step: cpu.secondsPerStep / peer.secondsPerStep,
      rollout: cpu.rolloutSeconds / peer.rolloutSeconds,
      update: cpu.updateSeconds / peer.updateSeconds,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function open(engine: Engine, size: Size, folder: string): Promise<TrainableModel> {
  const config = {
    architectures: ["Qwen2ForCausalLM"],
    model_type: "qwen2",
    vocab_size: 64,
    hidden_size: size.hidden,
    intermediate_size: size.feedForward,
    num_hidden_layers: size.layers,
    num_attention_heads: size.heads,
    num_key_value_heads: size.kvHeads,
    max_position_embeddings: 256,
    rms_norm_eps: 1e-6,
    rope_theta: 10_000,
    tie_word_embeddings: true,
    initializer_range: 0.02,
  };
  const model = await engine.createModel({ kind: "config", config, seed: "bench" });
  await model.save(folder);
  return model;
}

function prompts(): number[][] {
  const random = randomFromSeed("prompts");
  return Array.from({ length: promptCount }, () => Array.from({ length: promptTokens }, () => 2 + random.integer(62)));
}

/** Minus the length is the reward: TRL gets the same. */
async function runSteps(model: TrainableModel, count: number): Promise<Speed> {
  let [rolloutMs, updateMs] = [0, 0];
  for (let step = 0; step < count; step++) {
    const random = randomFromSeed(step);
    let start = performance.now();
    const samples = await model.sample(
      prompts().flatMap((tokens, p) =>
        Array.from({ length: generations }, (_, g): SampleRequest => ({
          promptTokens: tokens,
          sampling: { temperature: 1, maxTokens },
          stopTokens: [endToken],
          random: random.split(`${p},${g}`).state(),
        })),
      ),
    );
    rolloutMs += performance.now() - start;
    start = performance.now();
    const rewards = samples.map((sample) => -sample.tokens.length);
    const advantages = rewards.map((reward, i) => {
      const group = rewards.slice(i - (i % generations), i - (i % generations) + generations);
      return reward - group.reduce((sum, each) => sum + each, 0) / generations;
    });
    const objective = gspo({ clip: { low: 0.03, high: 0.04 } });
    const sequences = samples.map(({ promptTokens: prompt, tokens }) => ({
      promptTokens: prompt,
      completionTokens: tokens,
    }));
    // One update per rollout: the old policy is the one that is trained, as in TRL.
    await model.forwardBackward(
      sequences,
      (logProbs, rows) =>
        objective.evaluate({
          logProbs,
          oldLogProbs: logProbs,
          advantages: Float64Array.from(rows, (row) => advantages[row] as number),
        }).gradient,
    );
    await model.optimStep({
      learningRate: 1e-9,
      beta1: 0.9,
      beta2: 0.95,
      epsilon: 1e-8,
      weightDecay: 0,
      maxGradNorm: 1,
    });
    updateMs += performance.now() - start;
  }
  return {
    rolloutSeconds: rolloutMs / 1000 / count,
    updateSeconds: updateMs / 1000 / count,
    secondsPerStep: (rolloutMs + updateMs) / 1000 / count,
  };
}

function runPeer(checkpoint: string, size: Size): Speed | null {
  const python = process.env["LACONIC_PYTHON"] ?? join(root, ".venv/bin/python");
  if (!existsSync(python)) {
    print("peer", { skipped: `${python} does not exist; set LACONIC_PYTHON to a Python with trl` });
    return null;
  }
  const { steps } = size;
  const job = {
    ...{ checkpoint, vocabulary: 64, endToken, prompts: prompts(), generations, maxTokens, minibatches: 1, steps },
    ...{ threads: 2 },
  };
  const { status, stdout, stderr } = spawnSync(python, [join(root, "bench/peers/trl_step.py")], {
    input: JSON.stringify(job),
    encoding: "utf8",
  });
  if (status !== 0) {
    print("peer", { failed: stderr.split("\n").slice(-4).join(" ") });
    return null;
  }
  const peer = JSON.parse(stdout.trim().split("\n").at(-1) as string) as Speed & { readonly peer: string };
  return peer;
}

function shorter<T extends Speed | null>(a: Speed | null, b: T): Speed | T {
  return a !== null && (b === null || a.secondsPerStep < b.secondsPerStep) ? a : b;
}
