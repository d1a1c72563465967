import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError, type Engine, type Episode, type Reward, type ValueSource } from "@laconic/core";
import { createInlineEngine, localPolicy } from "@laconic/engine";
import { gaeEstimator, modelCritic, type CriticView, type NamedModelCritic } from "@laconic/gspo/critics";
import { criticCases } from "@laconic/gspo/testing";
import { createKernels } from "@laconic/engine/wasm";
import { tinyRun, tinyTask, tinyTokenizer } from "@laconic/trainer/testing";
import { parseTrainConfig, type RunSpecOptions, type TrainingParts } from "@laconic/trainer";
import { describe, expect, onTestFinished, test } from "vitest";
import { modelReward } from "@laconic/rewards";
import { relayTokenizer } from "@laconic/tasks";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openEstimators, openReward } from "./open-parts.ts";

const layers = {
  model_type: "llama",
  vocab_size: 128,
  hidden_size: 16,
  intermediate_size: 24,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 2,
  max_position_embeddings: 64,
  initializer_range: 0.3,
};
const source = { kind: "config", config: layers, seed: 1 } as const;

async function wasmEngine(): Promise<Engine> {
  const engine = await createInlineEngine([await createKernels({})]);
  onTestFinished(() => engine.close());
  return engine;
}

const read = ({ agent, turn, before }: CriticView): string =>
  `${before.map(({ text }) => text).join()} ${agent}${turn}`;
const letters = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));

describe.each(["layers of its own", "a head on a policy's layers"])("a model critic on the engine, %s", (kind) => {
  for (const item of criticCases)
    test(item.name, async () => {
      const kept = await temporaryFolder();
      await item.run(async () => {
        const engine = await wasmEngine();
        const from: ValueSource = kind.includes("own")
          ? source
          : { kind: "trunk", policy: await engine.createModel(source) };
        const model = await engine.createValueModel(from);
        const critic = modelCritic({
          model,
          encode: letters,
          input: read,
          learningRate: 0.1,
          optimizer: { maxGradNorm: 9 },
        });
        return { critic, folder: kept };
      });
    });
});

const critic = { gamma: 1, lambda: 0.9 };

async function hintParts(model: NamedModelCritic["model"], named = ""): Promise<RunSpecOptions> {
  const engine = await wasmEngine();
  const config = { ...layers, vocab_size: tinyTokenizer.vocabularySize };
  const policy = await engine.createModel({ kind: "config", config, seed: 3 });
  const parts: TrainingParts = {
    task: tinyTask("star"),
    policies: {
      policy: {
        model: policy,
        agents: ["hint", "solver"],
        speak: (sampler) => localPolicy({ id: "policy", sampler, tokenizer: tinyTokenizer }),
      },
    },
  };
  const advantage = gaeEstimator({ ...critic, critic: modelCritic({ model, learningRate: 0.01 }) });
  const place = {
    engine,
    engines: {},
    tokenizers: { policy: tinyTokenizer },
    openModel: async () => named,
    templateArguments: {},
  };
  const { policies } = await openEstimators(parseTrainConfig({ advantage }), parts.policies, place);
  return { ...parts, settings: { policies } };
}

describe.each([
  ["its own layers", "a model"],
  ["the policy's layers", { of: "policy" } as const],
])("a run with a critic on %s", (_, layersOf) => {
  test("resumes after an interruption, bit for bit: metrics, policy and critic", async () => {
    const [directory, begun] = [await temporaryFolder(), await temporaryFolder()];
    const engine = await wasmEngine();
    const config = { ...layers, vocab_size: tinyTokenizer.vocabularySize };
    await (await engine.createModel({ kind: "config", config, seed: 5 })).save(begun);
    // It reads prompts as they are, so any tokenizer will do: the relay's needs no file.
    await writeFile(join(begun, "laconic.json"), '{"task":"relay/one-fact"}');
    const settings = {
      steps: 4,
      problemsPerStep: 12,
      episodesPerProblem: 1,
      groupBy: "prompt+agent",
      advantage: { estimator: "raw" },
      evaluation: { every: 4, problems: 3, transcripts: 1 },
      checkpoint: { every: 2, keep: 2 },
    };
    const straight = join(directory, "straight");
    await tinyRun({ directory: straight, settings, parts: await hintParts(layersOf, begun) });
    const stopped = join(directory, "stopped");
    const stop = new AbortController();
    const observer = { step: ({ step }: Readonly<Record<string, unknown>>) => (step === 2 ? stop.abort() : undefined) };
    await tinyRun({
      directory: stopped,
      settings,
      parts: await hintParts(layersOf, begun),
      signal: stop.signal,
      observer,
    });
    await tinyRun({ directory: stopped, settings, parts: await hintParts(layersOf, begun), resume: true });
    const head = typeof layersOf === "string" ? "model.safetensors" : "score.safetensors";
    const last = "checkpoints/step-00000004";
    const files = ["metrics.jsonl", `${last}/model.safetensors`, `${last}/policy.critic/${head}`];
    for (const file of [...files, `${last}/policy.critic/optimizer.safetensors`])
      expect((await readFile(join(stopped, file))).equals(await readFile(join(straight, file))), file).toBe(true);
    const rows = (await readFile(join(straight, "metrics.jsonl"), "utf8")).trim().split("\n");
    const values = rows.map((row) => (JSON.parse(row) as Record<string, number>)["critic/value"]);
    expect(values[0]).toBe(0);
    expect(values[3]).not.toBe(values[2]);
  });
});

test("an engine without scalar heads is rejected by name, and a ready estimator remains unchanged", async () => {
  const { policies } = await hintParts({ of: "policy" });
  const refuse = { createValueModel: () => Promise.reject(new LaconicError("model_unsupported", "no scalar heads")) };
  const engine = refuse as unknown as Engine;
  const place = {
    engine,
    engines: {},
    tokenizers: { policy: tinyTokenizer },
    openModel: async () => "",
    templateArguments: {},
  };
  const opened = (advantage: unknown): ReturnType<typeof openEstimators> =>
    openEstimators(parseTrainConfig({ advantage }), policies, place);
  const estimator = gaeEstimator({ ...critic, critic: modelCritic({ model: { of: "policy" }, learningRate: 0.01 }) });
  await expect(opened(estimator)).rejects.toFailWith("model_unsupported");
  const ready = () => [];
  expect(await opened(ready)).toMatchObject({ advantage: ready, policies: {} });
});

test("a reward model opens by name, returns its checkpoint's score, and its folder is reported", async () => {
  const engine = await wasmEngine();
  const head = await engine.createValueModel(source);
  const states = [{ tokens: [3, 4, 5] }, { tokens: [6, 7] }];
  await head.forwardBackward(states, ({ values }) => values.map((_, i) => (i === 0 ? 1 : -1)));
  await head.optimStep({ learningRate: 0.5, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0, maxGradNorm: 9 });
  const path = await temporaryFolder();
  await head.save(path);
  await writeFile(join(path, "laconic.json"), '{"task":"relay/one-fact"}');
  const valueModels = new Map<string, string>();
  const place = { engine, openModel: async () => path, templateArguments: {}, valueModels };
  const grader = (answer: string | null): number => (answer === "7" ? 1 : 0);
  const judge = modelReward({ model: "judge", grader, input: ({ answer }, { question }) => `${question} ${answer}` });
  const { reward } = await openReward(parseTrainConfig({ reward: judge }), place);
  expect([...valueModels]).toEqual([["judge", path]]);
  const episode = { answer: "7" } as Episode;
  const given = await (reward as Reward)(
    episode,
    { id: "a", question: "k+e", gold: "7" },
    { signal: new AbortController().signal },
  );
  const [value] = (await head.forward([{ tokens: relayTokenizer.encode("k+e 7") }])).values;
  expect(value).not.toBe(0);
  expect(given).toEqual({ team: { preference: value }, score: 1 });
  // One that computes with nothing stays as it is, and no policy is a reward's.
  const plain: Reward = () => ({ team: { task: 1 } });
  expect((await openReward(parseTrainConfig({ reward: plain }), place)).reward).toBe(plain);
  const trunk = modelReward({ model: { of: "policy" } as unknown as string });
  await expect(openReward(parseTrainConfig({ reward: trunk }), place)).rejects.toThrow(
    /no layers to share; name a model/u,
  );
});
