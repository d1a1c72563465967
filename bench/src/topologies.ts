// 10,000 debates in flight over a model that answers at once: utterances a second, and how the heap grows.
import { performance } from "node:perf_hooks";
import { randomFromSeed, type LanguageModel } from "@laconic/core";
import { debate, debatePrompt, type AgentSpec } from "@laconic/topologies";
import { machine, print } from "./measure.ts";
import { readOptions } from "./options.ts";

readOptions({ options: {} });

const model: LanguageModel = {
  id: "echo",
  complete: async () => ({
    text: "yes",
    finishReason: "stop",
    usage: { promptTokens: 20, completionTokens: 4, counted: "model" },
    model: { id: "echo", weightVersion: 0 },
  }),
};
const prompt = debatePrompt("Put the final answer into \\boxed{}.").render;
const agents = ["a", "b", "c"].map((id): AgentSpec => ({ id, role: id, maxTokens: 16, prompt }));
const topology = debate(agents, { rounds: 2 });
const models = { a: model, b: model, c: model };
const problem = { id: "1", question: "yes or no?", gold: "yes" };

print("machine", machine());
for (let round = 0; round < 4; round++) {
  const episodes = 10_000;
  const random = randomFromSeed(round);
  const start = performance.now();
  const done = await Promise.all(
    Array.from({ length: episodes }, (_, i) =>
      topology.run(problem, { models, sampling: { temperature: 1 }, random: random.split(String(i)) }),
    ),
  );
  const seconds = (performance.now() - start) / 1000;
  const utterances = done.reduce((sum, episode) => sum + episode.utterances.length, 0);
  done.length = 0;
  globalThis.gc?.();
  print("topologies", {
    round,
    episodes,
    utterancesPerSecond: Math.round(utterances / seconds),
    heapMiB: Math.round(process.memoryUsage().heapUsed / 2 ** 20),
  });
}
