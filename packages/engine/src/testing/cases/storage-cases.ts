import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Engine } from "@laconic/core";
import { expectThat, type ConformanceCase } from "@laconic/core/testing";
import { type CaseKit, config, inFolder, refusal } from "./engine-case.ts";

export function storageCases({
  logProbsOf,
  modelCase,
  snapshotCase,
  wholeCase,
  requests,
  sameReplies,
  trainSteps,
  profile,
}: CaseKit): readonly ConformanceCase<Engine>[] {
  return [
    modelCase("a saved model continues bit for bit, in a new model and in itself", (model, engine) =>
      inFolder(async (folder) => {
        await trainSteps(model, 2);
        const files = await model.save(folder);
        const matches = await readdir(folder);
        expectThat(matches.toSorted().join() === [...files].toSorted().join(), `exactly the files that save names`);
        await trainSteps(model, 2);
        const straight = [await logProbsOf(model), await model.sample(requests)] as const;

        const other = await engine.createModel(profile.source(9));
        for (const resumed of [other, model]) {
          await resumed.load(folder);
          expectThat(resumed.weightVersion === 2, `weight version 2, got ${resumed.weightVersion}`);
          await trainSteps(resumed, 2);
          expectThat((await logProbsOf(resumed)) === straight[0], "the log-probs of the run that was not interrupted");
          expectThat(sameReplies(await resumed.sample(requests), straight[1]), "the replies of that run");
        }
      }),
    ),

    modelCase("a saved folder is a source of new models, with a fresh optimizer", (model, engine) =>
      inFolder(async (folder) => {
        await trainSteps(model, 2);
        await model.save(folder);
        const copy = await engine.createModel(profile.stored(folder));
        expectThat((await logProbsOf(copy)) === (await logProbsOf(model)), "the saved weights");
        expectThat(copy.weightVersion === 0 && copy.parameters === model.parameters, "version 0 and the same size");
      }),
    ),

    ...snapshotCase("loading discards the accumulated gradient and leaves snapshots unchanged", (model) =>
      inFolder(async (folder) => {
        await model.save(folder);
        const before = await logProbsOf(model);
        await trainSteps(model, 1);
        const snapshot = await model.snapshot();
        const frozen = await logProbsOf(snapshot);
        await model.load(folder);
        expectThat((await logProbsOf(model)) === before, "the saved weights");
        expectThat((await logProbsOf(snapshot)) === frozen, "the snapshot to stay");
      }),
    ),

    ...wholeCase("a weight or a moment that is not finite is refused by name and changes nothing", (model) =>
      inFolder(async (folder) => {
        await trainSteps(model, 1);
        const before = await logProbsOf(model);
        for (const name of ["optimizer.safetensors", "model.safetensors"]) {
          await model.save(folder);
          const path = join(folder, name);
          const bytes = await readFile(path);
          bytes.subarray(-8).fill(0xff);
          await writeFile(path, bytes);
          await refusal("weights_invalid", model.load(folder));
          expectThat((await logProbsOf(model)) === before, "the weights to be unchanged");
          expectThat(model.weightVersion === 1, "the optimizer to be unchanged");
        }
      }),
    ),

    ...wholeCase("a folder of another model, or a missing one, is refused and changes nothing", (model, engine) =>
      inFolder(async (folder) => {
        const before = await logProbsOf(model);
        await refusal("checkpoint_missing", model.load(folder));
        await refusal("checkpoint_missing", engine.createModel({ kind: "folder", path: join(folder, "none") }));
        const changes = [{ vocab_size: 14 }, { num_hidden_layers: 1 }, { rope_theta: 77 }, { num_key_value_heads: 4 }];
        for (const change of changes) {
          const other = await engine.createModel({ kind: "config", config: { ...config, ...change }, seed: 1 });
          await other.save(folder);
          await refusal("weights_invalid", model.load(folder));
        }
        expectThat((await logProbsOf(model)) === before, "the weights to be unchanged");
      }),
    ),
  ];
}
