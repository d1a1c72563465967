import {
  randomFromSeed,
  type BaseSource,
  type Engine,
  type ModelSource,
  type SampleRequest,
  type TrainableModel,
} from "@laconic/core";
import { createInlineEngine } from "@laconic/engine";
import { conformanceConfig, conformanceOptimizer } from "@laconic/engine/testing";
import { createReferenceKernels } from "@laconic/engine/kernels/testing";
import {
  Fleet,
  FleetModel,
  sglangServer,
  vllmServer,
  type FleetClock,
  type FleetModelOptions,
  type FleetOptions,
  type SampledReply,
} from "@laconic/openai/fleet";
import { startFakeSglang, startFakeVllm, type FakeServer, type FakeServerOptions } from "@laconic/openai/testing";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

export const base: BaseSource = { kind: "config", config: conformanceConfig, seed: 1 };
export const adapter: ModelSource = { kind: "adapter", base, lora: { rank: 4, alpha: 8 }, seed: 3 };

/** Clock that sleeping does not advance. */
export const quick: FleetClock = {
  nowMs: () => performance.now(),
  sleep: () => new Promise((resolve) => setImmediate(resolve)),
  timeout: (ms) => AbortSignal.timeout(ms),
};

export interface OnFakes {
  readonly engine: Engine;
  readonly fakes: readonly FakeServer[];
  readonly one: FakeServer;
  readonly two: FakeServer;
  readonly fleet: Fleet;
  readonly local: TrainableModel;
  readonly model: FleetModel;
  readonly folder: string;
  readonly notes: string[];
  readonly replies: SampledReply[];
}

export interface OnFakesOptions {
  readonly kind?: "vllm" | "sglang";
  readonly servers?: number;
  readonly source?: ModelSource;
  readonly fleet?: Partial<FleetOptions>;
  readonly model?: Partial<FleetModelOptions>;
  readonly fake?: Partial<FakeServerOptions>;
}

export async function onFakes(options: OnFakesOptions = {}): Promise<OnFakes> {
  const { kind = "vllm", servers = 2, source = adapter } = options;
  const engine = await createInlineEngine([createReferenceKernels()]);
  const start = kind === "vllm" ? startFakeVllm : startFakeSglang;
  const connect = kind === "vllm" ? vllmServer : sglangServer;
  const fakes = await Promise.all(Array.from({ length: servers }, () => start({ engine, base, ...options.fake })));
  const [notes, replies]: [string[], SampledReply[]] = [[], []];
  const fleet = new Fleet({
    servers: fakes.map(({ url }) => connect({ url })),
    vocabularySize: 13,
    clock: quick,
    onNote: (text) => notes.push(text),
    onReply: (reply) => replies.push(reply),
    ...options.fleet,
  });
  const folder = await temporaryFolder();
  const local = await engine.createModel(source);
  const model = new FleetModel(local, fleet, { name: "run.actor", folder, ...options.model });
  onTestFinished(async () => {
    await Promise.all(fakes.map((fake) => fake.close()));
    await engine.close();
  });
  const [one, two] = fakes as [FakeServer, FakeServer];
  return { engine, fakes, one, two, fleet, local, model, folder, notes, replies };
}

/** One request per prompt, 144 in all: with few prompts, all may prefer the same server, by its port. */
export function requests(count: number, temperature = 1): SampleRequest[] {
  return Array.from({ length: count }, (_, i) => ({
    promptTokens: [1 + (i % 12), 1 + ((2 + Math.floor(i / 12)) % 12), 5],
    sampling: { temperature, maxTokens: 4 },
    stopTokens: [0],
    random: randomFromSeed(i).state(),
  }));
}

export async function step(model: TrainableModel): Promise<void> {
  await model.forwardBackward([{ promptTokens: [1, 2], completionTokens: [3, 4, 5] }], ({ values }) =>
    values.map(() => -1),
  );
  await model.optimStep({ ...conformanceOptimizer, learningRate: 0.1 });
}
