import type { RunSpecOptions } from "./spec/run-spec.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import type { EstimatorFunction, Grouping, GroupReward, Objective, Reward, UnknownRecord } from "@laconic/core";
import { groupAdvantages, gspo } from "@laconic/gspo";
import { estimatorNames } from "@laconic/gspo/presets";
import { tokensRead } from "@laconic/rewards";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { trainTiny, type Trained } from "../test/train-tiny.ts";
import { onlyPolicy, type TrainedPolicy } from "./spec/parts.ts";
import { tinyParts, tinyRun, tinySettings } from "./testing/index.ts";

const run = (parts: RunSpecOptions, extra: UnknownRecord = {}): Promise<Trained> =>
  trainTiny(parts, { prices: {}, ...extra });

const byAgent = { groupBy: "prompt+agent" };

describe("custom values", () => {
  test("a reward with a team term and an agent term trains both", async () => {
    const parts = tinyParts("star");
    const reward: Reward = async ({ answer, utterances }, { gold }) => ({
      team: { task: answer?.startsWith(gold) ? 1 : 0, form: answer?.length === 1 ? 0.5 : 0 },
      agents: { hint: { brief: utterances.find(({ agent }) => agent === "hint")?.text.length === 1 ? 0.5 : 0 } },
    });
    const { after, rows } = await run({ ...parts, settings: { reward } }, byAgent);
    expect(after.accuracy).toBeGreaterThan(0.9);
    const [first, last] = [rows[0] ?? {}, rows.at(-1) ?? {}];
    expect(last["rewards/form/mean"]).toBeGreaterThan((first["rewards/form/mean"] ?? 1) + 0.1);
    expect(last["reward/agent/hint"]).toBeGreaterThan((first["reward/agent/hint"] ?? 1) + 0.1);
    expect(last["reward/mean"]).toBeCloseTo((last["rewards/task/mean"] ?? 0) + (last["rewards/form/mean"] ?? 0), 12);
  });

  test("a custom estimator trains the team, and another one a single policy", async () => {
    const seen: number[] = [];
    const centred: EstimatorFunction = ({ rewards, groups, offsets, terms, prices }) => {
      seen.push(rewards.length);
      expect(offsets).toHaveLength(rewards.length + 1);
      expect(terms["task"]).toEqual(rewards);
      expect(prices).toEqual({ tokens: 0 });
      const mean = (group: number): number => {
        const own = rewards.filter((_, i) => groups[i] === group);
        return own.reduce((sum, value) => sum + value, 0) / own.length;
      };
      return rewards.map((reward, i) => reward - mean(groups[i] as number));
    };
    const [own, named] = [await run({ ...tinyParts(), settings: { advantage: centred } }), await run(tinyParts())];
    expect(seen).toHaveLength(30);
    expect(own.after).toEqual(named.after);
    const tiny = tinyParts();
    const parts = { task: tiny.task, policies: { only: tiny.policies[onlyPolicy] as TrainedPolicy } };
    const policies = { only: { advantage: () => new Float64Array(48) } };
    expect((await run(parts, { steps: 2, policies })).rows.map((row) => row["actor/grad_norm"])).toEqual([0, 0]);
  });

  test("an asynchronous estimator gets problem, episode and utterances of each row", async () => {
    const named: EstimatorFunction = async ({ problems, episodes, utterances, rewards, groups }) => {
      await Promise.resolve();
      rewards.forEach((reward, row) => {
        expect(episodes[row]?.problemId).toBe(problems[row]?.id);
        expect(reward).toBe(episodes[row]?.answer?.startsWith(problems[row]?.gold ?? "?") ? 1 : 0);
        expect(utterances[row]?.map(({ agent }) => agent)).toEqual(["hint", "solver"]);
        expect(problems[groups.indexOf(groups[row] as number)]).toBe(problems[row]);
      });
      return Array.from(rewards, () => 0);
    };
    const { rows } = await run({ ...tinyParts("star"), settings: { advantage: named } }, { steps: 1 });
    expect(rows[0]?.["actor/grad_norm"]).toBe(0);
  });

  test("a custom grouping gives the advantages of the equal named one", async () => {
    const grouping: Grouping = ({ problem, episode, utterance: { agent, turn } }) => {
      expect(episode.utterances[turn]?.agent).toBe(agent);
      return `${problem.id} ${agent}`;
    };
    const estimator: EstimatorFunction = ({ rewards, groups }) => groupAdvantages(rewards, groups, { scale: "none" });
    const [own, named] = [
      await run({ ...tinyParts("star"), settings: { groupBy: grouping, advantage: estimator } }, { steps: 5 }),
      await run(tinyParts("star"), { ...byAgent, steps: 5 }),
    ];
    expect(own.after).toEqual(named.after);
    const apart = await run(
      { ...tinyParts("star"), settings: { groupBy: () => 0, advantage: estimator } },
      { steps: 5 },
    );
    expect(apart.rows.map((row) => row["actor/grad_norm"])).not.toEqual(
      named.rows.map((row) => row["actor/grad_norm"]),
    );
  });

  test("a turn's reward trains only that turn", async () => {
    const reward: Reward = ({ utterances }) => ({
      team: {},
      turns: Object.fromEntries(
        utterances.map(({ agent, turn, text }) => [turn, { b: agent === "hint" && text[0] === "b" ? 1 : 0 }]),
      ),
      score: utterances[0]?.text[0] === "b" ? 1 : 0,
    });
    const seen: number[] = [];
    const watching: EstimatorFunction = ({ rewards, groups, agents }) => {
      rewards.forEach((each, row) => agents?.[row] === "solver" && seen.push(each));
      return groupAdvantages(rewards, groups, { scale: "none" });
    };
    const { after } = await run(
      { ...tinyParts("star"), settings: { reward, advantage: watching } },
      { ...byAgent, steps: 15 },
    );
    expect(after.accuracy).toBeGreaterThan(0.9);
    expect(seen.length).toBeGreaterThan(0);
    expect(new Set(seen)).toEqual(new Set([0]));
  });

  test.each([
    ["agents", { agents: { hint: { win: 1 } } }],
    ["turns", { turns: { 0: { win: 1 } } }],
  ])("terms of single %s in groups of whole episodes are refused with the remedy", async (of, terms) => {
    const reward: Reward = () => ({ team: { task: 1 }, ...terms });
    await expect(run({ ...tinyParts("star"), settings: { reward } })).rejects.toFailWith(
      "reward_invalid",
      `single ${of} terms of their own`,
      "set groupBy to prompt+agent",
    );
  });

  test("a group reward ranks a problem's episodes, and its terms train the team", async () => {
    // Only the rank counts; answers with more letters "c" rank higher.
    const reward: Reward = ({ answer }) => ({ team: {}, score: answer?.includes("c") ? 1 : 0 });
    const count = (answer: string | null): number => (answer ?? "").split("c").length - 1;
    const groupReward: GroupReward = async (episodes, { id }) => {
      expect(episodes.every(({ problemId }) => problemId === id)).toBe(true);
      return episodes.map(({ answer }) => {
        const below = episodes.filter((each) => count(each.answer) < count(answer)).length;
        return { rank: below / episodes.length };
      });
    };
    const { rows, after } = await run({ ...tinyParts(), settings: { reward, groupReward } }, { steps: 20 });
    expect(after.accuracy).toBe(1);
    expect(rows[0]?.["rewards/rank/mean"]).toBeGreaterThan(0);
    expect(rows[0]?.["reward/mean"]).toBeCloseTo(rows[0]?.["rewards/rank/mean"] ?? 0, 12);
  });

  test("a custom objective replaces the named one, with its diagnostics in the metrics", async () => {
    const inner = gspo({ clip: { low: 0.2, high: 0.2 } });
    const own: Objective = {
      ...inner,
      evaluate: (input) => {
        const output = inner.evaluate(input);
        return { ...output, diagnostics: { ...output.diagnostics, mine: { sum: 6, count: 2, min: 1, max: 5 } } };
      },
    };
    const [found, named] = [await run({ ...tinyParts(), settings: { objective: own } }), await run(tinyParts())];
    expect(found.after).toEqual(named.after);
    expect(found.rows[0]?.["mine"]).toBe(3);
  });

  test("custom costs are measured, priced and named", async () => {
    const parts = { ...tinyParts("star"), settings: { costs: { read: tokensRead({ by: "solver" }) } } };
    const { rows } = await run(parts, { steps: 1, prices: { read: 0.5 } });
    expect(rows[0]?.["rewards/read/mean"]).toBeLessThan(0);
    expect(rows[0]?.["tokens/episode_mean"]).toBeGreaterThan(0);
    await expect(run(parts, { prices: { tokens: 0.5 } })).rejects.toMatchObject({ detail: { key: "prices.tokens" } });
  });
});

describe("the configuration names the values", () => {
  const settings: Readonly<Record<string, UnknownRecord>> = {
    group: { scale: "none" },
    bnpo: { a: 2, b: 2 },
    "reinforce++": { baseline: true },
  };

  test.each(estimatorNames)("the estimator %s trains", async (estimator) => {
    const grouping = estimator === "running-baseline" ? byAgent : {};
    const advantage = { estimator, ...settings[estimator] };
    // Token advantages need a token-level objective.
    const objective = { name: estimator === "reinforce++" ? "grpo" : "gspo", clip: { low: 0.2, high: 0.2 } };
    const { after, before } = await run(tinyParts("star"), { ...grouping, advantage, objective, steps: 30 });
    // MAREMAX learns slower, because rewards below the group's best only push down.
    expect(after.accuracy - before.accuracy).toBeGreaterThan(estimator === "maremax" ? -1 : 0.2);
  });

  test("an estimator that tells agents apart needs groups that do", async () => {
    await expect(run(tinyParts("star"), { advantage: { estimator: "running-baseline" } })).rejects.toFailWith(
      "config_invalid",
      { key: "groupBy" },
    );
  });

  test("an estimator's state survives a resume", async () => {
    const folder = await temporaryFolder();
    const own = { ...tinySettings, prices: {}, ...byAgent, advantage: { estimator: "running-baseline" } };
    const at = (name: string): string => join(folder, name);
    await tinyRun({ directory: at("whole"), settings: { ...own, steps: 20 }, parts: tinyParts("star") });
    const stop = new AbortController();
    const parts = tinyParts("star");
    const { problems } = parts.task;
    let drawn = 0;
    const stopping = {
      ...parts.task,
      problems: (...args: Parameters<typeof problems>) => {
        if (++drawn === 11) stop.abort();
        return problems(...args);
      },
    };
    await tinyRun({
      directory: at("cut"),
      settings: { ...own, steps: 20 },
      parts: { ...parts, task: stopping },
      signal: stop.signal,
    });
    await tinyRun({ directory: at("cut"), settings: { ...own, steps: 20 }, parts: tinyParts("star"), resume: true });
    const rows = async (name: string): Promise<string> => readFile(join(at(name), "metrics.jsonl"), "utf8");
    expect(await rows("cut")).toBe(await rows("whole"));
  });

  test("costs by kind, each with a price or a budget", async () => {
    const costs = {
      tokens: { kind: "tokens-written" },
      read: { kind: "tokens-read", by: "solver", from: "hint" },
      long: { kind: "overlong", maxTokens: 3, margin: 1 },
    };
    const budgets = { read: { targetTokens: 0.5, learningRate: 0.05 } };
    const { rows } = await run(tinyParts("star"), { costs, budgets, prices: { tokens: 0.01, long: 0.1 } });
    const [first, last] = [rows[0] ?? {}, rows.at(-1) ?? {}];
    expect(first["budget/read/lambda"]).toBeGreaterThan(0);
    expect(last["budget/read/used_frac"]).toBeLessThan((first["budget/read/used_frac"] ?? 0) - 0.5);
    expect(Object.keys(last).filter((key) => key.startsWith("rewards/") && key.endsWith("/mean"))).toEqual([
      "rewards/task/mean",
      "rewards/tokens/mean",
      "rewards/read/mean",
      "rewards/long/mean",
    ]);
  });

  test("a price on an unmeasured cost is rejected by its key", async () => {
    const refused = run(tinyParts(), { prices: { read: 1 } });
    await expect(refused).rejects.toSatisfy((error) => LaconicError.is(error) && error.detail["key"] === "prices.read");
  });

  test("corrections go with the objective: importance weights, off-policy mask", async () => {
    const objective = { name: "grpo", offPolicyMask: 0.5, dualClip: 3, aggregation: "token-mean" };
    const { rows, after } = await run(tinyParts(), { objective });
    expect(rows[0]).toHaveProperty("off_policy/dropped");
    expect(after.accuracy).toBeGreaterThan(0.9);
  });
});
