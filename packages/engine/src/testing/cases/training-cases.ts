import { raggedRow, type Engine } from "@laconic/core";
import { expectThat, type ConformanceCase } from "@laconic/core/testing";
import { type CaseKit, expectNear, pullUp } from "./engine-case.ts";

export function trainingCases({
  logProbsOf,
  modelCase,
  optimizer,
  snapshotCase,
  sequences,
  text,
  trainSteps,
  profile,
}: CaseKit): readonly ConformanceCase<Engine>[] {
  return [
    modelCase("log-probs and entropies do not depend on the rest of the batch", async (model) => {
      const together = await model.forward(sequences);
      expectThat(together.logProbs.offsets.join() === "0,3,4,4,9", "one value per completion token");
      for (const [i, sequence] of sequences.entries()) {
        const alone = await model.forward([sequence]);
        alone.logProbs.values.forEach((value, t) =>
          expectNear(value, raggedRow(together.logProbs, i)[t] as number, 1e-5, `log-prob ${i},${t}`),
        );
        alone.entropy.values.forEach((value, t) =>
          expectNear(value, raggedRow(together.entropy, i)[t] as number, 1e-5, `entropy ${i},${t}`),
        );
      }
    }),

    modelCase("the token gradient is requested once per sequence, with the log-probs of its rows", async (model) => {
      const expected = await model.forward(sequences);
      const asked: number[] = [];
      const seen = await model.forwardBackward(sequences, (logProbs, rows) => {
        asked.push(...rows);
        expectThat(logProbs.offsets.length === rows.length + 1, "one array of log-probs per row");
        rows.forEach((row, i) => {
          const [own, whole] = [raggedRow(logProbs, i), raggedRow(expected.logProbs, row)];
          expectThat(own.length === whole.length, `${whole.length} log-probs of sequence ${row}, got ${own.length}`);
          own.forEach((value, t) => expectNear(value, whole[t] as number, 1e-5, `log-prob ${row},${t}`));
        });
        return new Float64Array(logProbs.values.length);
      });
      expectThat(asked.toSorted((a, b) => a - b).join() === "0,1,2,3", `rows 0 to 3 once each, got ${asked.join()}`);
      expectThat(seen.logProbs.offsets.join() === "0,3,4,4,9", "the log-probs in the order of the batch");
    }),

    modelCase("shared prefixes change neither log-probs nor gradients", async (model) => {
      const [first, second] = [
        { promptTokens: [1, 2, 3], completionTokens: [4, 0, 5, 2] },
        { promptTokens: [1, 2, 3, 4, 0, 1], completionTokens: [2, 2] },
      ];
      const family = [
        first,
        second,
        { promptTokens: [1, 2, 3], completionTokens: [4, 1, 3] },
        ...(profile.whole ? [{ ...first, temperature: 0.5 }] : []),
        first,
        { promptTokens: [1, 2, 3, 4, 0, 5, 2], completionTokens: [3] },
      ];
      const still = { ...optimizer, learningRate: 1e-12 };
      const { logProbs, rowsPassed } = await model.forwardBackward(family, pullUp(0.1));
      const { gradNorm: together } = await model.optimStep(still);
      let tokens = 0;
      for (const [i, sequence] of family.entries()) {
        const alone = await model.forwardBackward([sequence], pullUp(0.1));
        tokens += sequence.promptTokens.length + sequence.completionTokens.length - 1;
        alone.logProbs.values.forEach((value, t) =>
          expectNear(value, raggedRow(logProbs, i)[t] as number, 1e-5, `log-prob ${i},${t}`),
        );
      }
      const { gradNorm: apart } = await model.optimStep(still);
      expectNear(apart, together, 1e-4 * together, "norm of the gradient");
      if (rowsPassed !== undefined) expectThat(rowsPassed < tokens, `fewer than ${tokens} rows, got ${rowsPassed}`);
    }),

    modelCase("gradient steps raise the likelihood of what they train, last token included", async (model) => {
      const before = await model.forward(sequences);
      for (let step = 0; step < 20; step++) {
        await model.forwardBackward(sequences, pullUp(1 / 9));
        const { applied } = await model.optimStep(optimizer);
        expectThat(applied, "a finite gradient to be applied");
      }
      const after = await model.forward(sequences);
      for (const row of [0, 1, 3]) {
        const [old, now] = [raggedRow(before.logProbs, row), raggedRow(after.logProbs, row)];
        expectThat(
          (now.at(-1) as number) > (old.at(-1) as number),
          `the last token of sequence ${row} to become likelier`,
        );
      }
      expectThat(model.weightVersion === 20, `weight version 20, got ${model.weightVersion}`);
    }),

    modelCase("gradients add up over calls until a step", async (model) => {
      const still = { ...optimizer, learningRate: 1e-12 };
      await model.forwardBackward(sequences, pullUp(0.1));
      const { gradNorm: together } = await model.optimStep(still);
      for (const sequence of sequences) await model.forwardBackward([sequence], pullUp(0.1));
      const { gradNorm: apart } = await model.optimStep(still);
      expectNear(apart, together, 1e-4 * together, "norm of the summed gradient");
      expectThat(!(await model.optimStep(still)).applied, "a step without a gradient to do nothing");
    }),

    modelCase("completions without tokens and empty batches contribute nothing", async (model) => {
      const before = await logProbsOf(model);
      const empty = [{ promptTokens: [1, 2], completionTokens: [] }];
      for (const batch of [[], empty]) {
        const { logProbs, entropy } = await model.forwardBackward(batch, pullUp());
        expectThat(logProbs.values.length === 0 && entropy.values.length === 0, "no values");
        expectThat(logProbs.offsets.length === batch.length + 1, "an offset per sequence");
        expectThat((await model.forward(batch)).logProbs.values.length === 0, "no values");
      }
      const { applied, gradNorm } = await model.optimStep(optimizer);
      expectThat(!applied && gradNorm === 0, "nothing to step on");
      expectThat((await logProbsOf(model)) === before, "weights to be unchanged");
      expectThat((await model.sample([])).length === 0, "no requests to give no replies");
    }),

    ...snapshotCase("a snapshot stays unchanged while training continues", async (model) => {
      const snapshot = await model.snapshot();
      const before = await logProbsOf(model);
      expectThat((await logProbsOf(snapshot)) === before, "the snapshot to equal the live policy");
      await trainSteps(model, 1);
      expectThat((await logProbsOf(snapshot)) === before, "the snapshot to be unchanged");
      expectThat((await logProbsOf(model)) !== before, "the live policy to have changed");
      expectThat(snapshot.weightVersion === 0 && model.weightVersion === 1, "versions 0 and 1");
      await snapshot.dispose();
    }),

    modelCase("models of one engine do not affect each other", async (model, engine) => {
      const other = await engine.createModel(profile.source(2));
      const twin = await engine.createModel(profile.source(1));
      const [own, foreign] = [await logProbsOf(model), await logProbsOf(other)];
      expectThat(own === (await logProbsOf(twin)), "the same seed to give the same weights");
      expectThat(own !== foreign, "another seed to give other weights");
      await Promise.all([trainSteps(model, 2), trainSteps(twin, 2)]);
      expectThat((await logProbsOf(model)) === (await logProbsOf(twin)), "the same steps to give the same weights");
      expectThat((await logProbsOf(other)) === foreign, "the other model to be unchanged");
      await twin.dispose();
      expectThat((await logProbsOf(other)) === foreign, "the other model to outlive the disposed one");
    }),

    modelCase("calls run in the order they were made, awaited or not", async (model, engine) => {
      const twin = await engine.createModel(profile.source(1));
      await trainSteps(twin, 1);
      const [, , after] = await Promise.all([
        model.forwardBackward(sequences, ({ values }) => values.map((value) => value / 10 - 0.1)),
        model.optimStep(optimizer),
        model.forward(sequences),
      ]);
      expectThat(text(after.logProbs.values) === (await logProbsOf(twin)), "forward to see the step before it");
    }),
  ];
}
