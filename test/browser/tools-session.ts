import { memoryFileSystem } from "../../packages/core/src/files/index.ts";
import type { ToolFormat } from "../../packages/core/src/index.ts";
import { createInlineEngine, localPolicy } from "../../packages/engine/src/index.ts";
import { conformanceConfig } from "../../packages/engine/src/testing/index.ts";
import { createReferenceKernels } from "../../packages/engine/src/kernels/testing/index.ts";
import { defineTask, relayTokenizer } from "../../packages/tasks/src/index.ts";
import { calculator, searchTool, toolEnvironment } from "../../packages/tasks/src/tools/index.ts";
import { solo } from "../../packages/topologies/src/index.ts";
import { onePolicy, openRun, parseTrainConfig, runSpec, train } from "../../packages/trainer/src/index.ts";

/** Turns any text of a random policy into a call: a sum of its digits, or a search. */
const format: ToolFormat = {
  name: "any",
  write: (messages) => messages.map(({ role, content }) => ({ role, content })),
  read(text) {
    const digits = text.match(/\d/gu);
    const input = digits ? { expression: digits.join("+") } : { query: text };
    const name = digits ? "calculator" : "search";
    return { content: "", calls: [{ name, arguments: JSON.stringify(input) }] };
  },
};

const words = ["ada owns a bike", "bob owns a dog", "cleo owns a kite"];
const spelled = (text: string): number[] => relayTokenizer.encode(text.toLowerCase().replaceAll(/[^a-z0-9 +]/gu, " "));

const problem = (i: number) => ({ id: String(i), question: `${i}`, gold: String(i) });

const task = defineTask({
  name: "tools-in-a-tab",
  topology: solo({
    id: "solver",
    role: "asks",
    maxTokens: 12,
    prompt: ({ question }) => ({ kind: "text", text: question }),
  }),
  environment: toolEnvironment({
    tools: [
      calculator,
      searchTool(
        words.map((text, i) => ({ id: String(i), text })),
        { characters: 20 },
      ),
    ],
    format,
    price: 0.1,
    encode: spelled,
    maxSteps: 3,
  }),
  tokenizer: relayTokenizer,
  grader: (answer, { gold }) => (answer?.includes(gold) ? 1 : 0),
  train: [3, 4, 5].map(problem),
  testProblems: [6, 7].map(problem),
});

/** Rows of `metrics.jsonl` of two steps with tools, in memory; the same code in Node and in a browser. */
export async function toolsSession(): Promise<string[]> {
  const files = memoryFileSystem();
  const engine = await createInlineEngine([createReferenceKernels()], { files });
  const config = { ...conformanceConfig, vocab_size: relayTokenizer.vocabularySize, max_position_embeddings: 256 };
  const model = await engine.createModel({ kind: "config", config, seed: 1 });
  const parts = onePolicy(task, model, (sampler) => localPolicy({ id: "a", sampler, tokenizer: relayTokenizer }));
  const settings = {
    steps: 2,
    problemsPerStep: 2,
    episodesPerProblem: 2,
    seed: 1,
    evaluation: { every: 2, problems: 2 },
  };
  const directory = "/run";
  const run = await openRun({
    directory,
    config: settings,
    environment: {},
    keepCheckpoints: 1,
    now: () => 0,
    fileSystem: files,
  });
  await train(runSpec({ ...parts, settings: parseTrainConfig(settings) }), { recorder: run });
  await run.close();
  await engine.close();
  return new TextDecoder()
    .decode(await files.read("/run/metrics.jsonl"))
    .trimEnd()
    .split("\n");
}
