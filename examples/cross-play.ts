/**
 * Trains `self-play.ts` by the library, and lets the players of the beginning and of the end meet.
 *
 *     npx tsx examples/cross-play.ts [steps] [seed]
 */
import { fileURLToPath } from "node:url";
import { createLocalEngine, localPolicy } from "@laconic/engine";
import { wasmKernels } from "@laconic/engine/wasm";
import { relayTokenizer } from "@laconic/tasks";
import { evaluate, livePolicies, parseTrainConfig, train, type TrainedPolicy } from "@laconic/trainer";
import { settings, task } from "./self-play.ts";

const [, , steps = "40", seed = "0"] = process.argv;
const path = fileURLToPath(new URL("../packages/runtime/assets/relay-one-fact", import.meta.url));
const engine = await createLocalEngine({ device: wasmKernels(), workers: 2 });
const policy = async (agent: string): Promise<TrainedPolicy> => ({
  model: await engine.createModel({ kind: "folder", path }),
  agents: [agent],
  speak: (sampler) => localPolicy({ id: agent, sampler, tokenizer: relayTokenizer }),
});
const [proposer, solver] = [await policy("proposer"), await policy("solver")];
const parts = { task, policies: { proposer, solver } };
const before = { proposer: await proposer.model.snapshot(), solver: await solver.model.snapshot() };

const config = parseTrainConfig({ ...settings, steps: Number(steps), seed });
await train({ ...parts, settings: config });

const players = { before, after: livePolicies(parts) };
for (const [asked, { proposer: asks }] of Object.entries(players))
  for (const [answered, { solver: answers }] of Object.entries(players)) {
    const samplers = { proposer: asks, solver: answers };
    const { evaluation } = await evaluate(parts, samplers, { ...config, step: 0, problems: 100 });
    const share = `${(100 * evaluation.accuracy).toFixed(0)} %`;
    console.log(`proposer ${asked} training, solver ${answered}: the solver wins ${share}`);
  }
await engine.close();
