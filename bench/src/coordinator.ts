// Measures the main thread's CPU milliseconds per call of episodes that sample on 64 stub servers: two turns, prompts
// of 10,000 tokens and replies of 200. Linux only.
//
// npx tsx bench/src/coordinator.ts [--episodes 1000]
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ragged, randomFromSeed, randomFromState, type Engine, type Random, type TrainableModel } from "@laconic/core";
import { localPolicy } from "@laconic/engine";
import { Fleet, FleetModel, vllmServer } from "@laconic/openai/fleet";
import { startFakeVllm } from "@laconic/openai/testing";
import { inEnvironment, solo } from "@laconic/topologies";
import { openRun } from "@laconic/trainer";
import { machine, print, round3 } from "./measure.ts";
import { readOptions } from "./options.ts";

const vocabularySize = 150_000;
const logProbOf = (token: number) => Math.fround(-Math.log(1 + (token % 97)) / 3);

const stub: Partial<TrainableModel> = {
  id: "bench",
  weightVersion: 0,
  contextLength: 20_000,
  async sample(requests) {
    return requests.map(({ promptTokens, random }) => {
      const tokens = [...tokensOf(randomFromState(random), 199), 0];
      return { promptTokens, tokens, logProbs: tokens.map(logProbOf), finishReason: "stop" };
    });
  },
  async forward(sequences) {
    const logProbs = ragged(sequences.map(({ completionTokens }) => completionTokens.map(logProbOf)));
    return { logProbs, entropy: logProbs };
  },
  async save(path) {
    await writeFile(join(path, "adapter_model.safetensors"), "weights");
    return ["adapter_model.safetensors"];
  },
};
const model = stub as TrainableModel;

if (process.argv[2] === "serve") {
  const engine: Partial<Engine> = { createModel: async () => model };
  const options = { engine: engine as Engine, base: { kind: "folder", path: "" }, contextLength: 20_000 } as const;
  const servers = await Promise.all(Array.from({ length: 64 }, () => startFakeVllm(options)));
  process.once("disconnect", () => process.exit()).send?.(servers.map(({ url }) => url));
} else await measure();

async function measure(): Promise<void> {
  const { values } = readOptions({ options: { episodes: { type: "string", default: "1000" } } });
  const episodes = Number(values.episodes);
  const servers = fork(import.meta.filename, ["serve"]);
  const [urls] = (await once(servers, "message")) as [string[]];
  const folder = await mkdtemp(join(tmpdir(), "laconic-bench-"));
  const prompts = Array.from({ length: episodes }, (_, i) => tokensOf(randomFromSeed(i), 10_000));
  const play = player(urls, folder);
  await play(prompts.slice(0, 100));
  const start = mainMs();
  const played = await play(prompts);
  const playMs = mainMs() - start;
  const run = await openRun({ directory: folder, config: {}, environment: {}, keepCheckpoints: 1, now: () => 0 });
  await run.evaluation({ step: 1 } as never, played);
  const perCall = { playMs: round3(playMs / 2 / episodes), allMs: round3((mainMs() - start) / 2 / episodes) };
  servers.kill();
  await rm(folder, { recursive: true });
  print("machine", machine());
  print("coordinator", { episodes, ...perCall });
  process.exit();
}

/** From Linux's scheduler. */
function mainMs(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, "utf8").split(" ", 1)[0]) / 1e6;
}

function player(urls: readonly string[], folder: string) {
  const fleet = new Fleet({ servers: urls.map((url) => vllmServer({ url })), vocabularySize });
  const sampler = new FleetModel(model, fleet, { name: "bench", folder });
  const encode = () => tokensOf(randomFromSeed(0), 50);
  const tokenizer = { vocabularySize, endToken: 0, encode, decode: () => "text" };
  const models = { agent: localPolicy({ id: "bench", sampler, tokenizer, batching: "continuous" }) };
  const step = (_: object, action: { readonly step: number }) => (action.step === 0 ? { observation: "text" } : {});
  const playOne = async (tokens: readonly number[], i: number) => {
    const prompt = () => ({ kind: "tokens", tokens }) as const;
    const agent = solo({ id: "agent", role: "agent", maxTokens: 500, prompt, renderPrompt: () => "" });
    const topology = inEnvironment(agent, { name: "bench", reset: () => ({}), encode, step });
    const problem = { id: `${i}`, question: "", gold: "" };
    const context = { models, sampling: { temperature: 1 }, random: randomFromSeed(i) };
    return { step: 1, problem, episode: await topology.run(problem, context) };
  };
  return (prompts: readonly number[][]) => Promise.all(prompts.map(playOne));
}

function tokensOf(random: Random, length: number): number[] {
  return Array.from({ length }, () => 1 + random.integer(vocabularySize - 1));
}
