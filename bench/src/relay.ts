// Tokens per second of rollout and update on the relay's policy, beside TRL's GRPOTrainer on the same checkpoint, prompts
// and sizes in the same run (needs Python with trl: LACONIC_PYTHON or .venv), and the event loop's delay meanwhile.
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import { generateRelayProblem, relayLevels, relayTask, relayTokenizer } from "@laconic/tasks";
import { raggedSelect, randomFromSeed, type SampleRequest, type TrainableModel } from "@laconic/core";
import { createLocalEngine } from "@laconic/engine";
import { gspo } from "@laconic/gspo";
import { wasmKernels } from "@laconic/kernels-wasm";
import { machine, print } from "./measure.ts";
import { readOptions } from "./options.ts";
import { lastOf, peer, shipped } from "./processes.ts";
import type { StepResult } from "./step/job.ts";

readOptions({ options: {} });

const [prompts, generations, maxTokens, minibatches, steps] = [48, 8, 28, 2, 5];
/** Small for both: lengths of replies must not drift apart. */
const learningRate = 1e-9;

interface Speed {
  readonly completionTokens: number;
  readonly rolloutTokensPerSecond: number;
  readonly updateTokensPerSecond: number;
  readonly secondsPerStep: number;
}

print("machine", machine());
const holderPrompts = await drawHolderPrompts();
const ours = new Map<number, Speed>();
for (const workers of [1, 2]) {
  const engine = await createLocalEngine({ device: wasmKernels(), workers });
  const model = await engine.createModel({ kind: "folder", path: shipped });
  await runSteps(model, 1); // compiles
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const speed = await runSteps(model, steps);
  delay.disable();
  ours.set(workers, speed);
  print("relay", { workers, ...speed, eventLoopDelayP99Ms: delay.percentile(99) / 1e6 });
  await engine.close();
}
comparePeer(ours.get(2) as Speed);

/** What a holder is asked, as token ids: the prompts that the task's own topology makes. */
async function drawHolderPrompts(): Promise<number[][]> {
  const random = randomFromSeed("bench");
  const { topology } = relayTask({ level: "one-fact" });
  const asked: number[][] = [];
  const recorder = {
    id: "recorder",
    complete: async ({ prompt }: { prompt: { kind: string; tokens?: readonly number[] } }) => {
      if (prompt.kind === "tokens") asked.push([...(prompt.tokens ?? [])]);
      const usage = { promptTokens: 1, completionTokens: 1, counted: "model" as const };
      return { text: "", finishReason: "stop" as const, usage, model: { id: "recorder", weightVersion: 0 } };
    },
  };
  const models = Object.fromEntries(topology.agents.map((agent) => [agent, recorder]));
  for (let i = 0; asked.length < prompts; i++) {
    const problem = generateRelayProblem(relayLevels["one-fact"], random.split(i), "train");
    await topology.run(problem, { models, sampling: { temperature: 1 }, random });
    asked.pop(); // the solver's
  }
  return asked.slice(0, prompts);
}

/** Rollout and a GSPO update on minus the length, the reward TRL gets too. */
async function runSteps(model: TrainableModel, count: number): Promise<Speed> {
  let rolloutMs = 0;
  let updateMs = 0;
  let tokens = 0;
  for (let step = 0; step < count; step++) {
    const random = randomFromSeed(step);
    let start = performance.now();
    const requests = holderPrompts.flatMap((promptTokens, p) =>
      Array.from({ length: generations }, (_, g): SampleRequest => ({
        promptTokens,
        sampling: { temperature: 1, maxTokens },
        stopTokens: [relayTokenizer.endToken],
        random: random.split(`${p},${g}`).state(),
      })),
    );
    const samples = await model.sample(requests);
    rolloutMs += performance.now() - start;
    tokens += samples.reduce((sum, sample) => sum + sample.tokens.length, 0);
    start = performance.now();
    const sequences = samples.map((sample) => ({ promptTokens: sample.promptTokens, completionTokens: sample.tokens }));
    const old = (await model.forward(sequences)).logProbs;
    const rewards = samples.map((sample) => -sample.tokens.length);
    const means = holderPrompts.map(
      (_, p) => rewards.slice(p * generations, (p + 1) * generations).reduce((a, b) => a + b, 0) / generations,
    );
    const order = random.shuffle(sequences.map((_, s) => s));
    for (let m = 0; m < minibatches; m++) {
      const rows = order.filter((_, i) => i % minibatches === m);
      const objective = gspo({ clip: { low: 0.03, high: 0.04 } });
      await model.forwardBackward(
        rows.map((row) => sequences[row] as (typeof sequences)[number]),
        (logProbs, chosen) =>
          objective.evaluate({
            logProbs,
            oldLogProbs: raggedSelect(
              old,
              chosen.map((i) => rows[i] as number),
            ),
            advantages: Float64Array.from(chosen, (i) => {
              const row = rows[i] as number;
              return (rewards[row] as number) - (means[Math.floor(row / generations)] as number);
            }),
          }).gradient,
      );
      await model.optimStep({
        learningRate,
        beta1: 0.9,
        beta2: 0.95,
        epsilon: 1e-8,
        weightDecay: 0,
        maxGradNorm: 1,
      });
    }
    updateMs += performance.now() - start;
  }
  return {
    completionTokens: tokens,
    rolloutTokensPerSecond: (1000 * tokens) / rolloutMs,
    updateTokensPerSecond: (1000 * tokens) / updateMs,
    secondsPerStep: (rolloutMs + updateMs) / 1000 / count,
  };
}

function comparePeer(own: Speed): void {
  const job = {
    checkpoint: shipped,
    vocabulary: relayTokenizer.vocabularySize,
    endToken: relayTokenizer.endToken,
    prompts: holderPrompts,
    generations,
    maxTokens,
    minibatches,
    warmUp: 1,
    steps,
    threads: 2,
    learningRate,
  };
  const result = lastOf(peer("trl_step.py", job));
  if ("failed" in result) return print("peer", result);
  const { side, completionTokens, wall } = result as unknown as StepResult;
  const theirs: Speed = {
    completionTokens,
    rolloutTokensPerSecond: completionTokens / steps / wall.rollout,
    updateTokensPerSecond: completionTokens / steps / wall.update,
    secondsPerStep: wall.rollout + wall.update,
  };
  print("peer", { peer: side, ...theirs });
  print("ratio", {
    rollout: own.rolloutTokensPerSecond / theirs.rolloutTokensPerSecond,
    update: own.updateTokensPerSecond / theirs.updateTokensPerSecond,
    step: theirs.secondsPerStep / own.secondsPerStep,
  });
}
