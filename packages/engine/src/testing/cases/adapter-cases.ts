import { readdir } from "node:fs/promises";
import type { AdapterSource, Engine, LoraSettings, TrainableModel } from "@laconic/core";
import { expectThat, type ConformanceCase } from "@laconic/core/testing";
import { type CaseKit, config, expectNear, inFolder, optimizer, pullUp, refusal } from "./engine-case.ts";

const base = { kind: "config", config, seed: 1 } as const;
const lora: LoraSettings = { rank: 2, alpha: 4 };

function adapter(change: Partial<LoraSettings> = {}, seed = 1): AdapterSource {
  return { kind: "adapter", base, lora: { ...lora, ...change }, seed };
}

export function adapterCases({
  logProbsOf,
  modelCase,
  requests,
  sameReplies,
  sequences,
  trainSteps,
}: CaseKit): readonly ConformanceCase<Engine>[] {
  return [
    modelCase("a fresh adapter changes nothing, and training it leaves its base unchanged", async (model, engine) => {
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

    modelCase("adapters on one base train independently, each with its own optimizer", async (_, engine) => {
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

    modelCase("training an adapter lifts the log-probs that its gradient lifts", async (_, engine) => {
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
        const adapted = await engine.createModel(
          adapter({ dropout: 0.25, targets: ["q_proj", "v_proj", "down_proj"] }),
        );
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
        // Dropout repeats its masks.
        await trainSteps(adapted, 2);
        expectThat((await logProbsOf(adapted)) === straight, "the run that was not interrupted");
      }),
    ),

    modelCase("a snapshot of an adapter stays unchanged while the adapter learns", async (model, engine) => {
      const adapted = await engine.createModel(adapter());
      await trainSteps(adapted, 3);
      const snapshot = await adapted.snapshot();
      const [frozen, replies] = [await logProbsOf(snapshot), await adapted.sample(requests)];
      await trainSteps(adapted, 1);
      expectThat((await logProbsOf(snapshot)) === frozen, "the frozen log-probs");
      expectThat((await logProbsOf(adapted)) !== frozen, "the live ones to change");
      expectThat(sameReplies(await snapshot.sample(requests), replies), "the replies of the adapter as it was");
      expectThat(!sameReplies(await model.sample(requests), replies), "the base to give other replies");
      await snapshot.dispose();
    }),

    modelCase("a folder of another adapter, or a missing one, is refused and changes nothing", (model, engine) =>
      inFolder(async (folder) => {
        const adapted = await engine.createModel(adapter());
        await trainSteps(adapted, 1);
        const before = await logProbsOf(adapted);
        await refusal("checkpoint_missing", adapted.load(folder));
        await refusal("checkpoint_missing", engine.createModel({ kind: "adapter-folder", base, path: folder }));
        await model.save(folder);
        await refusal("checkpoint_missing", adapted.load(folder));
        for (const change of [{ rank: 3 }, { alpha: 5 }, { rankStabilized: true }, { targets: ["q_proj"] }]) {
          await (await engine.createModel(adapter(change))).save(folder);
          await refusal("weights_invalid", adapted.load(folder));
        }
        // A folder with extra targets is another adapter.
        await adapted.save(folder);
        await refusal("weights_invalid", (await engine.createModel(adapter({ targets: ["q_proj"] }))).load(folder));
        expectThat((await logProbsOf(adapted)) === before, "the adapter to be unchanged");
      }),
    ),

    modelCase("targets name modules by their ends, as in PEFT", async (_, engine) => {
      const some = await engine.createModel(adapter({ targets: ["q_proj", "layers.1.self_attn.v_proj"] }));
      expectThat(some.trainableParameters === 2 * (32 + 32 + 24), `${some.trainableParameters} parameters`);
      const error = await refusal("config_invalid", engine.createModel(adapter({ targets: ["layers.2.mlp.up_proj"] })));
      expectThat(error.message.includes("layers.2.mlp.up_proj"), `the target to be named, got ${error.message}`);
    }),

    modelCase("dropout changes training passes alone, and draws the same in any micro-batch", async (_, engine) => {
      const models = await Promise.all([0.4, 0.4, 0].map((dropout) => engine.createModel(adapter({ dropout }))));
      const [together, apart, without] = models as [TrainableModel, TrainableModel, TrainableModel];
      // A step makes B nonzero, so that masks matter.
      for (const model of models) {
        await model.forwardBackward(sequences, pullUp());
        await model.optimStep({ ...optimizer, learningRate: 0.1 });
      }
      expectThat((await logProbsOf(together)) === (await logProbsOf(apart)), "the same seed to drop the same");
      expectThat((await logProbsOf(together)) === (await logProbsOf(together)), "no dropout without a gradient");
      const seen = await together.forwardBackward(sequences, pullUp());
      expectThat(seen.logProbs.values.join() !== (await logProbsOf(together)), "training passes to drop inputs");
      let token = 0;
      for (const sequence of sequences)
        for (const value of (await apart.forwardBackward([sequence], pullUp())).logProbs.values)
          expectNear(value, seen.logProbs.values[token++] as number, 1e-4, "log-prob of the sequence alone");
      const still = { ...optimizer, learningRate: 0 };
      const [one, other] = [await together.optimStep(still), await apart.optimStep(still)];
      expectNear(other.gradNorm, one.gradNorm, 1e-4 * one.gradNorm, "norm of the summed gradient");
      const plain = await without.forwardBackward(sequences, pullUp());
      expectThat(plain.logProbs.values.join() === (await logProbsOf(without)), "no dropout to change nothing");
    }),

    modelCase("invalid adapter settings are refused by name", async (_, engine) => {
      for (const change of [{ rank: 0 }, { alpha: -1 }, { dropout: 1 }, { targets: [] }, { targets: ["lm_head"] }]) {
        const error = await refusal("config_invalid", engine.createModel(adapter(change)));
        const [key] = Object.keys(change);
        expectThat(
          error.detail["key"] === `lora.${key}`,
          `lora.${key} to be named, got ${String(error.detail["key"])}`,
        );
      }
    }),
  ];
}
