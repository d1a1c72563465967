import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { LaconicError, randomFromSeed } from "@laconic/core";
import type { CompletionRequest, Engine, TrainingSequence } from "@laconic/core";
import { tableTokenizer } from "@laconic/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KernelSource } from "../../kernels/index.ts";
import { referenceKernels } from "../../kernels/testing/index.ts";
import { config } from "../../testing/cases/engine-case.ts";
import { engineCases } from "../../testing/engine-cases.ts";
import { createLocalEngine } from "../local-engine.ts";
import { localPolicy } from "../local-policy.ts";

const slow = { timeout: 60_000 };
const sequences: readonly TrainingSequence[] = [{ promptTokens: [1], completionTokens: [2, 3] }];

describe.each([1, 2])("the engine on %d worker threads", (workers) => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await createLocalEngine({ device: referenceKernels(), workers });
  });
  afterAll(() => engine.close());

  // Starting threads takes longer than the cases do, so they share an engine.
  for (const item of engineCases)
    test(item.name, slow, () => item.run(() => ({ ...engine, close: () => Promise.resolve() })));

  test("says what it runs on", () => {
    expect(engine.capabilities).toEqual({
      kind: "local",
      device: "reference",
      backend: "plain JavaScript",
      dtype: "float64",
      deterministic: true,
      batchInvariant: true,
      workers,
      scalarHeads: true,
    });
  });

  test("rejects an argument that no thread can receive, and the engine continues", async () => {
    const source = { kind: "config", config: { ...config, odd: () => 0 }, seed: 1 } as const;
    await expect(engine.createModel(source)).rejects.toFailWith("input_invalid");
    await engine.createModel({ kind: "config", config, seed: 1 });
  });

  test("stop texts and how tokens spell them reach every thread", async () => {
    const model = await engine.createModel({ kind: "config", config, seed: 1 });
    const vocabulary = config["vocab_size"] as number;
    // Token t is the letter t: a reply ends as soon as both letters of the text have come in a row.
    const tokenizer = tableTokenizer(
      Array.from({ length: vocabulary - 1 }, (_, i) => String.fromCodePoint(97 + i)).join(""),
    );
    const policy = localPolicy({ id: "p", sampler: model, tokenizer });
    const ask = (seed: number, stop: readonly string[]): CompletionRequest => ({
      prompt: { kind: "tokens", tokens: [1 + (seed % 3)] },
      sampling: { temperature: 1, maxTokens: 6, stop },
      random: randomFromSeed(seed).state(),
    });
    const seeds = Array.from({ length: 24 }, (_, seed) => seed);
    const whole = await Promise.all(seeds.map((seed) => policy.complete(ask(seed, []))));
    const stop = whole.map(({ text }) => text.slice(1, 3)).filter(({ length }) => length === 2);
    const ended = await Promise.all(seeds.map((seed) => policy.complete(ask(seed, stop))));
    expect(
      ended.filter(({ trace }, i) => (trace?.tokens.length ?? 0) < (whole[i]?.trace?.tokens.length ?? 0)),
    ).not.toEqual([]);
    ended.forEach(({ text, trace }, i) => {
      const free = whole[i]?.text ?? "";
      const position = stop.map((item) => free.indexOf(item)).filter((match) => match >= 0);
      expect(text).toBe(position.length === 0 ? free : free.slice(0, Math.min(...position)));
      const tokens = position.length === 0 ? whole[i]?.trace?.tokens.length : Math.min(...position) + 2;
      expect(trace?.tokens).toHaveLength(tokens ?? -1);
    });
  });

  test("errors keep code, message and detail on their way between threads", async () => {
    const error: unknown = await engine
      .createModel({ kind: "config", config: { ...config, hidden_act: "gelu" }, seed: 1 })
      .catch((reason: unknown) => reason);
    expect(LaconicError.is(error)).toBe(true);
    expect(error).toFailWith("model_unsupported", { key: "hidden_act" });
    expect(String(error)).toContain('hidden_act is "gelu"');
  });
});

test(
  "what was called before close is answered, what comes later is refused, and closing twice is closing",
  slow,
  async () => {
    const engine = await createLocalEngine({ device: referenceKernels() });
    const model = await engine.createModel({ kind: "config", config, seed: 0 });
    const answer = model.forward(sequences);
    await Promise.resolve(); // the model hands its calls on in the next microtask
    const closing = [engine.close(), engine.close()];
    expect((await answer).logProbs.values).toHaveLength(2);
    await Promise.all(closing);
    await expect(model.forward(sequences)).rejects.toFailWith("engine_failed", "the engine was closed");
    await expect(engine.createModel({ kind: "config", config, seed: 0 })).rejects.toFailWith("engine_failed");
  },
);

test("a kernel set that is not there, or refuses, refuses the engine", slow, async () => {
  const missing = { device: "broken", module: new URL("./no-such-module.ts", import.meta.url).href };
  await expect(createLocalEngine({ device: missing })).rejects.toFailWith("engine_failed");
  const empty = { device: "broken", module: "data:text/javascript,export const nothing = 0" };
  await expect(createLocalEngine({ device: empty, workers: 2 })).rejects.toFailWith("engine_failed");
});

function scripted(createKernels: string): KernelSource {
  const code = `export async function createKernels() { ${createKernels} }`;
  return { device: "scripted", module: `data:text/javascript,${encodeURIComponent(code)}` };
}

test("a thread that exits rejects the call under way and every later one", slow, async () => {
  const dying = `return { device: "d", backend: "b", dtype: "float32", scope() { process.exit(7) } }`;
  const engine = await createLocalEngine({ device: scripted(dying) });
  const source = { kind: "config", config, seed: 0 } as const;
  const exited = { code: "engine_failed", message: "the engine's worker exited with code 7" };
  await expect(engine.createModel(source)).rejects.toMatchObject(exited);
  await expect(engine.createModel(source)).rejects.toMatchObject(exited);
  await engine.close();
});

test("a thread that throws outside any call rejects what waits for it", slow, async () => {
  const throwing = `setImmediate(() => { throw new Error("boom") }); await new Promise(() => {})`;
  await expect(createLocalEngine({ device: scripted(throwing) })).rejects.toFailWith(
    "engine_failed",
    "the engine's worker stopped: Error: boom",
  );
});

test.each([
  ["closed", "await engine.close();"],
  ["left idle", ""],
])("an engine that is %s does not keep the process alive", slow, async (_, end) => {
  const engine = new URL("../../index.ts", import.meta.url).href;
  const script = `
    import { createLocalEngine } from ${JSON.stringify(engine)};
    import { referenceKernels } from "@laconic/engine/kernels/testing";
    const engine = await createLocalEngine({ device: referenceKernels(), workers: 2 });
    const model = await engine.createModel({ kind: "config", config: ${JSON.stringify(config)}, seed: 0 });
    await model.forwardBackward(${JSON.stringify(sequences)}, ({ values }) => new Float64Array(values.length));
    ${end}
    console.log("done");`;
  const cwd = fileURLToPath(new URL("../../..", import.meta.url));
  const args = ["--import", "tsx", "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  expect(stdout).toBe("done\n");
});
