import type { RunSpecOptions } from "./spec/run-spec.ts";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LaconicError, type Curriculum, type EvaluationPoint, type Problem, type UnknownRecord } from "@laconic/core";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { trainTiny, type Trained } from "../test/train-tiny.ts";
import { withResults } from "./loop/step.ts";
import type { Metrics } from "./step-metrics.ts";
import { tinyPairParts, tinyParts, tinyRun, tinySettings } from "./testing/index.ts";

const run = (parts: RunSpecOptions, extra: UnknownRecord = {}): Promise<Trained> =>
  trainTiny(parts, { prices: {}, steps: 4, ...extra });

const column = (rows: readonly Metrics[], name: string): unknown[] => rows.map((row) => row[name]);

async function refusal(parts: Partial<RunSpecOptions>, extra: object = {}): Promise<{ message: string; key: unknown }> {
  const error: unknown = await run({ ...tinyParts(), ...parts }, { ...extra }).catch((each: unknown) => each);
  if (!LaconicError.is(error)) throw new Error(`expected a refusal, got ${String(error)}`);
  return { message: error.message, key: error.detail["key"] };
}

function stoppingAt(parts: RunSpecOptions, step: number, stop: AbortController): RunSpecOptions {
  const learningRate = (optimizerStep: number): number => {
    if (optimizerStep >= 2 * (step - 1)) stop.abort();
    return 0.3;
  };
  return { ...parts, settings: { ...parts.settings, optimizer: { learningRate } } };
}

describe("accepts a custom budget", () => {
  test("a rule sets the next price from the charged price and the use", async () => {
    const used: number[] = [];
    const budgets = {
      tokens: (price: number, { tokens }: { tokens: number }) => {
        used.push(tokens);
        return price + 0.01 * tokens;
      },
    };
    const { rows } = await run({ ...tinyParts(), settings: { budgets } });
    const prices = used.map((_, i) => 0.01 * used.slice(0, i).reduce((sum, value) => sum + value, 0));
    column(rows, "budget/tokens/lambda").forEach((price, i) => expect(price).toBeCloseTo(prices[i] ?? Number.NaN, 12));
    expect(prices[3]).toBeGreaterThan(0);
  });

  test("a controller's state survives a resume", async () => {
    const folder = await temporaryFolder();
    const controller = {
      init: () => ({ price: 0.01, seen: 0 }),
      step: ({ price, seen }: { price: number; seen: number }) => ({ price: price + 0.001 * seen, seen: seen + 1 }),
    };
    const settings = { ...tinySettings, prices: {}, steps: 20 };
    const parts = (): RunSpecOptions => ({ ...tinyParts(), settings: { budgets: { tokens: controller } } });
    const at = (name: string): string => join(folder, name);
    await tinyRun({ directory: at("whole"), settings, parts: parts() });
    const stop = new AbortController();
    await tinyRun({ directory: at("cut"), settings, parts: stoppingAt(parts(), 11, stop), signal: stop.signal });
    await tinyRun({ directory: at("cut"), settings, parts: parts(), resume: true });
    const rows = async (name: string): Promise<Metrics[]> =>
      (await readFile(join(at(name), "metrics.jsonl"), "utf8"))
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Metrics);
    const prices = column(await rows("cut"), "budget/tokens/lambda");
    expect(prices).toEqual(column(await rows("whole"), "budget/tokens/lambda"));
    expect(prices[19]).toBeCloseTo(0.01 + (0.001 * (19 * 18)) / 2, 12);
  });

  test("one policy has a price, and it alone pays", async () => {
    const parts = tinyPairParts();
    const { rows } = await run(parts, { groupBy: "prompt+agent", policies: { first: { budget: () => 0.5 } } });
    expect(column(rows, "policy/first/budget/own_lambda")).toEqual([0, 0.5, 0.5, 0.5]);
  });

  test.each([
    [
      { budgets: { tokens: () => -1 } },
      {},
      /^the budget of tokens gave the price -1, expected a finite price from 0 up/u,
    ],
    [{ budgets: { tokens: () => "high" as never } }, {}, /gave the price "high"/u],
    [{ budgets: { read: () => 1 } }, {}, /^budgets\.read: unknown cost "read"/u],
    [{ budgets: { tokens: () => 1 } }, { prices: { tokens: 1 } }, /^prices\.tokens: has no effect with a budget/u],
    [
      { budgets: { tokens: () => 1 } },
      { budget: { targetTokens: 2, learningRate: 1 } },
      /^budgets\.tokens: is also set by budget/u,
    ],
  ])("rejects %o next to %j", async (settings, extra, message) => {
    expect((await refusal({}, { ...settings, ...extra })).message).toMatch(message);
  });
});

describe("schedules", () => {
  test("applies a learning rate over optimizer steps, of the run and of a policy", async () => {
    const seen: (readonly [number, number])[] = [];
    const learningRate = (step: number, steps: number): number => {
      seen.push([step, steps]);
      return 0.1 / (step + 1);
    };
    const { rows } = await run({ ...tinyParts(), settings: { optimizer: { learningRate } } });
    expect(seen).toEqual(Array.from({ length: 8 }, (_, step) => [step, 8]));
    expect(column(rows, "optim/lr")).toEqual([1, 3, 5, 7].map((step) => 0.1 / (step + 1)));
    const parts = tinyPairParts();
    const pair = await run(parts, {
      optimizer: { learningRate: () => 0.5 },
      policies: { first: { learningRate: () => 0.25 } },
    });
    expect(column(pair.rows, "policy/first/optim/lr")).toEqual([0.25, 0.25, 0.25, 0.25]);
    expect(column(pair.rows, "policy/second/optim/lr")).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect((await refusal({ settings: { optimizer: { learningRate: () => 0 } } })).message).toBe(
      "step 1: the learning rate gave 0, expected a finite number above 0",
    );
  });

  test("a temperature over steps: samples and log-probs follow it, ratios stay 1", async () => {
    const parts = tinyParts("solo", { spread: 2 });
    const { rows } = await run(
      { ...parts, settings: { sampling: { temperature: (step) => [4, 1, 0.1, 0.1][step] ?? 1 } } },
      { minibatches: 1 },
    );
    const entropies = column(rows, "actor/entropy") as number[];
    expect(entropies[0]).toBeGreaterThan(entropies[1] as number);
    expect(entropies[1]).toBeGreaterThan((entropies[2] as number) + 0.2);
    for (const gap of column(rows, "sampling/logp_difference_max")) expect(gap).toBeLessThan(1e-9);
    expect((await refusal({ settings: { sampling: { temperature: () => Number.NaN } } })).message).toContain(
      "step 1: the temperature gave NaN",
    );
    expect((await refusal({ settings: { sampling: { temperature: () => 1 } } }, { asynchronous: {} })).key).toBe(
      "asynchronous",
    );
  });
});

describe("a stopping rule", () => {
  test("sees every evaluation, and ends the run", async () => {
    const seen: (readonly EvaluationPoint[])[] = [];
    const stopping = (evaluations: readonly EvaluationPoint[]): boolean => {
      seen.push(evaluations);
      return evaluations.length === 3;
    };
    const evaluation = { every: 2, problems: 3, transcripts: 1 };
    const { steps, stoppedEarly, after } = await run(
      { ...tinyParts(), settings: { earlyStopping: stopping } },
      { steps: 20, evaluation },
    );
    expect([steps, stoppedEarly]).toEqual([4, true]);
    expect(seen.at(-1)?.map(({ step }) => step)).toEqual([0, 2, 4]);
    expect(seen.at(-1)?.[2]).toMatchObject({ accuracy: after.accuracy, tokens: after.tokens });
    expect((await refusal({ settings: { earlyStopping: () => 1 as never } }, { evaluation })).message).toMatch(
      /the stopping rule earlyStopping gave 1, expected true or false/u,
    );
    expect((await refusal({ settings: { earlyStopping: stopping } }, { evaluation: { every: 0 } })).key).toBe(
      "earlyStopping",
    );
  });
});

describe("a curriculum", () => {
  test("chooses from earlier results, and resumes a checkpoint with equal choices", async () => {
    const folder = await temporaryFolder();
    const log: string[] = [];
    const curriculum: Curriculum = ({ step, pool, count, results, random }) => {
      const last = ({ id }: Problem): number => results[id]?.last ?? 0;
      const chosen = random
        .shuffle(pool)
        .toSorted((a, b) => last(a) - last(b))
        .slice(0, count);
      log.push(`${step}: ${chosen.map(({ id }) => id).join()} of ${Object.keys(results).length}`);
      return chosen;
    };
    const settings = { ...tinySettings, prices: {}, steps: 20, problemPool: 12, problemsPerStep: 3 };
    const at = (name: string): string => join(folder, name);
    const parts = (): RunSpecOptions => ({ ...tinyParts(), settings: { curriculum } });
    await tinyRun({ directory: at("whole"), settings, parts: parts() });
    const whole = log.splice(0);
    const stop = new AbortController();
    await tinyRun({ directory: at("cut"), settings, parts: stoppingAt(parts(), 11, stop), signal: stop.signal });
    expect(log).toHaveLength(11);
    await tinyRun({ directory: at("cut"), settings, parts: parts(), resume: true });
    expect(log).toEqual(whole);
    expect(whole[0]).toMatch(/ of 0$/u);
    expect(whole.at(-1)).toMatch(/ of 12$/u);
  });

  test("results are means over steps, and an episode without a grade counts nowhere", () => {
    const problem = (id: string): Problem => ({ id, question: "?", gold: "1" });
    const scored = (id: string, task: number) => ({ problem: problem(id), measured: { task, costs: {} } });
    const one = withResults({}, [scored("a", 1), scored("a", 0), scored("b", Number.NaN)], 0);
    expect(one).toEqual({ a: { plays: 1, mean: 0.5, last: 0.5, lastStep: 0 } });
    expect(withResults(one, [scored("a", 1)], 4)).toEqual({ a: { plays: 2, mean: 0.75, last: 1, lastStep: 4 } });
  });

  test.each([
    [() => [], {}, /^step 1: the curriculum gave 0 problems, 6 were asked for/u],
    [() => 1, {}, /gave 1, expected a list of problems/u],
    [() => Array.from({ length: 6 }, () => ({ id: "x" })), {}, /gave an object at 0, which is not in the pool/u],
    [() => [], { problemPool: null }, /^curriculum: tiny-solo has unlimited problems; set problemPool/u],
    [() => [], { asynchronous: {} }, /^asynchronous: plays problems before the curriculum has their results/u],
  ])("rejects %o next to %j", async (curriculum, extra, message) => {
    expect((await refusal({}, { curriculum, problemPool: 12, ...extra })).message).toMatch(message);
  });
});
