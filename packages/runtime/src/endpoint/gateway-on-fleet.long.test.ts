import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInlineEngine, localPolicy } from "@laconic/engine";
import { createReferenceKernels } from "@laconic/engine/kernels/testing";
import { Fleet, fleetPolicy, probeFleet, sglangServer, vllmServer, type SampledReply } from "@laconic/openai/fleet";
import { startFakeSglang, startFakeVllm } from "@laconic/openai/testing";
import { parseTrainConfig, silentRecorder, runSpec, train, type Metrics } from "@laconic/trainer";
import { tinyAdapter, tinyLlama, tinySettings, tinyTask, tinyTokenizer } from "@laconic/trainer/testing";
import { expect, onTestFinished, test } from "vitest";
import { tinyGateway } from "../../test/tiny-gateway.ts";

const [steps, problemsPerStep, episodesPerProblem] = [9, 6, 8];

test.each([
  ["vllm", startFakeVllm, vllmServer],
  ["sglang", startFakeSglang, sglangServer],
] as const)("a program's gateway requests are sampled on %s and trained", async (_, start, connect) => {
  const engine = await createInlineEngine([createReferenceKernels()]);
  const fakes = [
    await start({ engine, base: tinyLlama, contextLength: 32 }),
    await start({ engine, base: tinyLlama, contextLength: 32 }),
  ];
  const folder = await mkdtemp(join(tmpdir(), "laconic-gateway-fleet-"));
  onTestFinished(async () => {
    for (const fake of fakes) await fake.close();
    await engine.close();
    await rm(folder, { recursive: true });
  });
  const { vocabularySize } = tinyTokenizer;
  const replies: SampledReply[] = [];
  const fleet = new Fleet({
    servers: fakes.map(({ url }) => connect({ url })),
    vocabularySize,
    onReply: (reply) => replies.push(reply),
  });
  const task = tinyTask();
  const policy = fleetPolicy(
    {
      model: await engine.createModel(tinyAdapter),
      speak: (sampler: Parameters<typeof localPolicy>[0]["sampler"]) =>
        localPolicy({ id: "solver", sampler, tokenizer: tinyTokenizer, batching: "continuous" }),
      agents: task.topology.agents,
    },
    fleet,
    { name: "run.policy", folder },
  );
  await probeFleet(fleet, policy.model, { vocabularySize });
  const probed = replies.length;
  const sizes = { groupsPerStep: problemsPerStep, rolloutsPerGroup: episodesPerProblem };
  const { gateway, post } = tinyGateway({ contextLength: 32, ...sizes });
  const rollout = async (id: string, kind: number, group: string): Promise<void> => {
    const body = { model: "solver", prompt: "012".charAt(kind), max_tokens: 4 };
    const { choices } = (await post(`/v1/rollouts/${id}/completions`, body)) as {
      choices: readonly [{ text: string }];
    };
    const reward = choices[0].text.startsWith("abc".charAt(kind)) ? 1 : 0;
    await post(`/rollouts/${id}/reward`, { reward, group });
  };
  const program = async (): Promise<void> => {
    for (let step = 0; step < steps; step++) {
      const played = Array.from({ length: problemsPerStep * episodesPerProblem }, (_each, i) => {
        const problem = Math.floor(i / episodesPerProblem);
        return rollout(`r${step}-${i}`, problem % 3, `${step}-${problem}`);
      });
      await Promise.all(played);
    }
  };
  const rows: Metrics[] = [];
  const learningRate = { peak: 0.02, warmUpSteps: 0, decay: "constant", finalFraction: 1 };
  const config = {
    ...tinySettings,
    steps,
    problemsPerStep,
    episodesPerProblem,
    prices: {},
    optimizer: { learningRate },
  };
  const outline = { name: task.name, topology: task.topology, problems: () => [], testProblems: [] };
  await Promise.all([
    train(
      runSpec({
        task: outline,
        policies: { policy },
        source: gateway,
        settings: parseTrainConfig({ ...config, evaluation: { every: 0, problems: 1, transcripts: 1 } }),
      }),
      {
        recorder: silentRecorder((row) => rows.push(row)),
      },
    ),
    program(),
  ]);
  expect(rows).toHaveLength(steps);
  // Every reply came from a server, of the weights of its own step, and none was of older ones.
  const perStep = problemsPerStep * episodesPerProblem;
  const versions = replies.slice(probed).map(({ version }) => version);
  expect(versions).toHaveLength(steps * perStep);
  expect(versions).toEqual(Array.from({ length: steps * perStep }, (_each, i) => 2 * Math.floor(i / perStep)));
  expect(new Set(replies.map(({ server }) => server)).size).toBe(2);
  expect(gateway.status().dropped).toEqual({});
  for (const row of rows) expect(row["sampling/logp_difference_max"]).toBeLessThan(1e-6);
  const earned = rows.map((row) => row["rewards/task/mean"] as number);
  // Replies arrive in any order, and sums differ by it: some runs learn later than others.
  expect(Math.max(...earned.slice(-3))).toBeGreaterThan(2 * (earned[0] as number));
});
