import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AdapterSource, Engine, LoraSettings } from "@laconic/core";
import { expectThat, type ConformanceCase } from "@laconic/core/testing";
import {
  config,
  logProbsOf,
  modelCase,
  optimizer,
  pullUp,
  refusal,
  requests,
  sequences,
  trainSteps,
} from "./engine-case.ts";

const base = { kind: "config", config, seed: 1 } as const;
const lora: LoraSettings = { rank: 2, alpha: 4 };

function adapter(change: Partial<LoraSettings> = {}, seed = 1): AdapterSource {
  return { kind: "adapter", base, lora: { ...lora, ...change }, seed };
}

/** Low-rank adapters on shared, frozen weights. */
export const adapterCases: readonly ConformanceCase<Engine>[] = [
  modelCase("a fresh adapter changes nothing, and training it leaves its base alone", async (model, engine) => {
    const before = await logProbsOf(model);
    const adapted = await engine.createModel(adapter());
    expectThat((await logProbsOf(adapted)) === before, "the base's log-probs");
    expectThat(adapted.parameters === model.parameters + adapted.trainableParameters, "base and adapter counted");
    // Seven projections of two layers, rank 2: q and o 16 to 16, k and v 16 to 8, feed-forward 16 to 24 and back.
    expectThat(adapted.trainableParameters === 2 * 2 * (32 + 32 + 24 + 24 + 40 + 40 + 40), "rank x (in + out)");
    await trainSteps(adapted, 2);
    expectThat((await logProbsOf(adapted)) !== before, "trained log-probs to differ");
    const other = await engine.createModel(adapter({}, 2));
    expectThat((await logProbsOf(other)) === before, "another adapter on the same base to start from the base");
  }),

  modelCase("adapters on one base train apart, each with its own optimiser", async (_, engine) => {
    const alone = await engine.createModel(adapter());
    await trainSteps(alone, 3);
    const expected = await logProbsOf(alone);
    const [first, second] = [await engine.createModel(adapter()), await engine.createModel(adapter({ rank: 3 }))];
    for (let step = 0; step < 3; step++) {
      await trainSteps(first, 1);
      await second.forwardBackward(sequences, pullUp());
      await second.optimStep({ ...optimizer, learningRate: 0.1 });
    }
    expectThat((await logProbsOf(first)) === expected, "what it learns alone");
    expectThat((await logProbsOf(second)) !== expected, "something else in the other");
    await second.dispose();
    expectThat((await logProbsOf(first)) === expected, "the base to stay while another adapter uses it");
  }),

  modelCase("training an adapter lifts the log-probs that it is told to lift", async (_, engine) => {
    const adapted = await engine.createModel(adapter({ rankStabilized: true }));
    const sum = async (): Promise<number> =>
      (await adapted.forward(sequences)).logProbs.values.reduce((total, value) => total + value, 0);
    const before = await sum();
    for (let step = 0; step < 5; step++) {
      await adapted.forwardBackward(sequences, pullUp());
      await adapted.optimStep(optimizer);
    }
    const after = await sum();
    expectThat(after > before + 1, `a sum above ${before + 1}, got ${after}`);
  }),

  modelCase("an adapter saved in PEFT's form continues bit for bit, and is a source of new models", (_, engine) =>
    inFolder(async (folder) => {
      const adapted = await engine.createModel(adapter({ dropout: 0.25, targets: ["q_proj", "v_proj", "down_proj"] }));
      await trainSteps(adapted, 2);
      const files = await adapted.save(folder);
      expectThat(
        (await readdir(folder)).toSorted().join() === [...files].toSorted().join(),
        "the files that save names",
      );
      const saved = await logProbsOf(adapted);
      const copy = await engine.createModel({ kind: "adapter-folder", base, path: folder });
      expectThat((await logProbsOf(copy)) === saved, "the saved log-probs");
      await trainSteps(adapted, 2);
      const straight = await logProbsOf(adapted);
      await adapted.load(folder);
      expectThat((await logProbsOf(adapted)) === saved && adapted.weightVersion === 2, "the saved adapter");
      // Dropout draws the same masks again.
      await trainSteps(adapted, 2);
      expectThat((await logProbsOf(adapted)) === straight, "the run that was not interrupted");
    }),
  ),

  modelCase("a snapshot of an adapter stays while the adapter learns", async (_, engine) => {
    const adapted = await engine.createModel(adapter());
    await trainSteps(adapted, 1);
    const snapshot = await adapted.snapshot();
    const frozen = await logProbsOf(snapshot);
    await trainSteps(adapted, 1);
    expectThat((await logProbsOf(snapshot)) === frozen, "the frozen log-probs");
    expectThat((await logProbsOf(adapted)) !== frozen, "the live ones to move on");
    const replies = await snapshot.sample(requests);
    expectThat(replies.length === requests.length, "a reply to each request");
    await snapshot.dispose();
  }),

  modelCase("adapter settings that cannot be are refused by name", async (_, engine) => {
    for (const change of [{ rank: 0 }, { alpha: -1 }, { dropout: 1 }, { targets: [] }, { targets: ["lm_head"] }]) {
      const error = await refusal("config_invalid", engine.createModel(adapter(change)));
      const [key] = Object.keys(change);
      expectThat(error.detail["key"] === `lora.${key}`, `lora.${key} to be named, got ${String(error.detail["key"])}`);
    }
  }),
];

async function inFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-adapter-"));
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
