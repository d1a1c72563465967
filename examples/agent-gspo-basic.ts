/**
 * Agent-GSPO with the trainer: `agent-gspo-loop.ts` as a configuration, with the same numbers.
 *
 *     npx tsx examples/agent-gspo-basic.ts [steps] [model folder] [seed]
 */
import { fileURLToPath } from "node:url";
import { relayTask } from "@laconic/tasks";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import { wasmKernels } from "@laconic/engine/wasm";
import { onePolicy, silentRecorder, runSpec, train, type Metrics } from "@laconic/trainer";

const shipped = new URL("../packages/runtime/assets/relay-one-fact", import.meta.url);
const [, , steps = "20", folder = fileURLToPath(shipped), seed = "0"] = process.argv;

const task = relayTask({ level: "one-fact" });
const engine = await createLocalEngine({ device: wasmKernels() });
const model = await engine.createModel({ kind: "folder", path: folder });
const { before, after } = await train(
  runSpec({
    ...onePolicy(task, model, (sampler) => localPolicy({ id: model.id, sampler, tokenizer: task.tokenizer })),
    settings: {
      seed,
      steps: Number(steps),
      oldLogProbs: "sampler",
      objective: { name: "gspo", clip: { low: 0.03, high: 0.04 } },
      advantage: { estimator: "group", scale: "none" },
      budget: { targetTokens: 14, learningRate: 1e-5, proportionalGain: 2e-4, maxPrice: 0.05 },
      optimizer: { learningRate: { peak: 3e-4, warmUpSteps: 0 } },
    },
  }),
  {
    recorder: silentRecorder(printStep),
  },
);
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
console.log(`test accuracy ${percent(before.accuracy)} -> ${percent(after.accuracy)}`);
console.log(`test tokens ${before.tokens.toFixed(1)} -> ${after.tokens.toFixed(1)} per episode`);
await engine.close();

function printStep(metrics: Metrics): void {
  const value = (name: string, digits: number): string => (metrics[name] as number).toFixed(digits);
  const [accuracy, tokens] = [value("task/accuracy", 3), value("tokens/episode_mean", 2)];
  console.log(
    `step ${metrics["step"]}  accuracy ${accuracy}  tokens ${tokens}  price ${value("budget/tokens/lambda", 5)}`,
  );
}
