import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BaseSource, Engine, Ragged, ValueModel, ValueSequence, ValueSource } from "@laconic/core";
import { expectThat, type ConformanceCase } from "@laconic/core/testing";
import { type CaseKit, config, expectNear, inFolder, refusal } from "./engine-case.ts";

const source = { kind: "config", config, seed: 1 } as const satisfies BaseSource;

/** Texts with values; two share a prefix. */
const states: readonly (ValueSequence & { readonly target: number })[] = [
  { tokens: [1, 2, 3], target: 1 },
  { tokens: [1, 2, 4, 5], target: -2 },
  { tokens: [6], target: 0.5 },
];

export function valueCases({
  modelCase,
  optimizer,
  logProbsOf,
  trainSteps,
}: CaseKit): readonly ConformanceCase<Engine>[] {
  const fit = async (model: ValueModel, steps: number): Promise<number> => {
    let error = 0;
    for (let step = 0; step < steps; step++) {
      await model.forwardBackward(states, ({ values }, rows) =>
        values.map((value, i) => value - (states[rows[i] as number]?.target ?? 0)),
      );
      await model.optimStep(optimizer);
    }
    const { values } = await model.forward(states);
    values.forEach((value, i) => (error += (value - (states[i]?.target ?? 0)) ** 2));
    return error;
  };
  const valueCase = (
    name: string,
    from: ValueSource,
    body: (model: ValueModel, engine: Engine) => Promise<void>,
  ): ConformanceCase<Engine> => ({
    name,
    async run(create) {
      const engine = await create();
      try {
        if (engine.capabilities.scalarHeads) await body(await engine.createValueModel(from), engine);
      } finally {
        await engine.close();
      }
    },
  });
  return [
    {
      name: "a model with a scalar head is made, or refused by name",
      async run(create) {
        const engine = await create();
        try {
          if (engine.capabilities.scalarHeads) await engine.createValueModel(source);
          else await refusal("model_unsupported", engine.createValueModel(source));
        } finally {
          await engine.close();
        }
      },
    },

    valueCase("a fresh scalar head gives 0 and learns the values of states", source, async (model) => {
      expectThat(!model.hasStoredHead, "no stored head");
      expectThat((await model.forward(states)).values.join() === "0,0,0", "zeros");
      expectThat((await fit(model, 60)) < 0.05, "a squared error near 0 after 60 steps");
      expectThat(model.weightVersion === 60, `weight version 60, got ${model.weightVersion}`);
    }),

    valueCase("a token's value is that of the text up to it", source, async (model) => {
      await fit(model, 5);
      const whole = await model.forward([
        { tokens: [1, 2, 4, 5, 6], from: 1 },
        { tokens: [3, 3], from: 0 },
      ]);
      expectThat(whole.offsets.join() === "0,4,6", `offsets 0, 4 and 6, got ${whole.offsets.join()}`);
      const parts = await model.forward([
        { tokens: [1, 2] },
        { tokens: [1, 2, 4] },
        { tokens: [1, 2, 4, 5] },
        { tokens: [1, 2, 4, 5, 6] },
        { tokens: [3] },
        { tokens: [3, 3] },
      ]);
      parts.values.forEach((value, i) => expectNear(whole.values[i] as number, value, 1e-4, `value ${i}`));
    }),

    valueCase(
      "a saved scalar model continues bit for bit, with its layers or the head alone",
      source,
      (_model, engine) =>
        inFolder(async (folder) => {
          for (const train of ["all", "head"] as const) {
            const model = await engine.createValueModel(source, { train });
            await fit(model, 3);
            await model.save(folder);
            const straight = await fit(model, 3);
            const resumed = await engine.createValueModel(train === "all" ? { ...source, seed: 9 } : source, { train });
            for (const valueModel of [resumed, model]) {
              await valueModel.load(folder);
              expectThat(valueModel.weightVersion === 3, `weight version 3, got ${valueModel.weightVersion}`);
              expectThat(
                (await fit(valueModel, 3)) === straight,
                `the bits of the run that was not interrupted (${train})`,
              );
            }
          }
        }),
    ),

    valueCase("a saved scalar model is a source, and another head is refused", source, (model, engine) =>
      inFolder(async (folder) => {
        await fit(model, 3);
        await model.save(folder);
        const copy = await engine.createValueModel({ kind: "folder", path: folder });
        expectThat(copy.hasStoredHead, "the stored head");
        expectThat(same(await copy.forward(states), await model.forward(states)), "the saved values");
        await refusal("weights_invalid", engine.createModel({ kind: "folder", path: folder }));
        const path = join(folder, "model.safetensors");
        const bytes = await readFile(path, "latin1");
        await writeFile(path, bytes.replace('"score.weight"', '"score.other_"'), "latin1");
        await refusal("weights_invalid", model.load(folder));
      }),
    ),

    modelCase("a head on a policy's layers reads them and leaves them unchanged", async (policy, engine) => {
      if (!engine.capabilities.scalarHeads) return;
      const trunk: ValueSource = { kind: "trunk", policy };
      const before = await logProbsOf(policy);
      const model = await engine.createValueModel(trunk);
      expectThat(model.trainableParameters === 16, `16 trained parameters, got ${model.trainableParameters}`);
      const error = await fit(model, 40);
      expectThat(error < 4, `a squared error below 4 of 5.25, got ${error}`);
      expectThat((await logProbsOf(policy)) === before, "the policy as it was");
      const seen = await model.forward(states);
      await trainSteps(policy, 2);
      expectThat(!same(await model.forward(states), seen), "other values after the policy's steps");
      await inFolder(async (folder) => {
        const moved = await model.forward(states);
        await model.save(folder);
        await fit(model, 2);
        await model.load(folder);
        expectThat(same(await model.forward(states), moved), "the head that was saved, over the layers as they are");
      });
      await model.dispose();
      await logProbsOf(policy);
      await refusal("config_invalid", engine.createValueModel(trunk, { train: "all" }));
    }),

    valueCase("invalid states and gradients are refused and change nothing", source, async (model) => {
      await fit(model, 2);
      const before = await model.forward(states);
      const bad: readonly [ValueSequence, string][] = [
        [{ tokens: [] }, "no token"],
        [{ tokens: [1, 99] }, "99 at position 1"],
        [{ tokens: [1], from: 1 }, "from is 1"],
        [{ tokens: [1, 2], from: 0.5 }, "from is 0.5"],
        [{ tokens: Array.from({ length: 49 }, () => 1) }, "49 tokens"],
      ];
      for (const [state, reply] of bad) {
        const { message } = await refusal("input_invalid", model.forward([{ tokens: [1] }, state]));
        expectThat(message.includes(reply) && message.includes("sequence 1"), `"${message}" to say ${reply}`);
      }
      await refusal(
        "numeric_invalid",
        model.forwardBackward(states, ({ values }) => values.map(() => NaN)),
      );
      expectThat(!(await model.optimStep(optimizer)).applied, "nothing to step on");
      expectThat(same(await model.forward(states), before), "the values as before");
    }),
  ];
}

function same(a: Ragged, b: Ragged): boolean {
  return a.values.join() === b.values.join();
}
