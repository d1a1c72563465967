import type { RewardBatch, Utterance } from "@laconic/core";
import { expectThat, type ConformanceCase } from "@laconic/core/testing";
import type { Critic } from "../critics/index.ts";
import { exampleBatch, shown } from "./estimator-cases.ts";

/** Untrained critic, with an empty folder for its weights. */
export interface CriticSubject {
  readonly critic: Critic;
  readonly folder: string;
}

/** Conformance cases of critics that use a state's turn and earlier text of {@link exampleBatch}. */
export const criticCases: readonly ConformanceCase<CriticSubject>[] = [
  {
    name: "returns the same finite value for each row every time",
    async run(create) {
      const { critic } = await create();
      const batch = exampleBatch();
      const state = await taught(critic, critic.init(), 3);
      const values = await critic.values(batch, state);
      expectThat(values instanceof Float64Array && values.length === 24, "24 values in a Float64Array");
      expectThat(values.every(Number.isFinite), "finite values");
      expectThat((await critic.values(batch, state)).join() === values.join(), "the same values again");
      expectThat(shown(batch) === shown(exampleBatch()), "the batch unchanged");
    },
  },
  {
    name: "learns values that approach targets by turn",
    async run(create) {
      const { critic } = await create();
      const error = (values: Float64Array): number =>
        values.reduce((sum, value, row) => sum + (value - (targets[row] as number)) ** 2, 0) / values.length;
      const first = error(await critic.values(exampleBatch(), critic.init()));
      const last = error(await critic.values(exampleBatch(), await taught(critic, critic.init(), 200)));
      expectThat(last < 0.1 * first, `a squared error below a tenth of ${first}, got ${last}`);
    },
  },
  {
    name: "values a state by earlier turns only",
    async run(create) {
      const { critic } = await create();
      const state = await taught(critic, critic.init(), 3);
      const before = await critic.values(exampleBatch(), state);
      const after = await critic.values(otherEnd(exampleBatch(), 2), state);
      before.forEach((value, row) =>
        expectThat(row % 4 > 2 || value === after[row], `the value of row ${row} to stay when turns 2 and 3 change`),
      );
    },
  },
  {
    name: "resumes from a checkpoint bit for bit",
    async run(create) {
      const { critic, folder } = await create();
      const state = await taught(critic, critic.init(), 3);
      await critic.weights?.save(folder);
      const stored = JSON.stringify(state);
      const straight = await critic.values(exampleBatch(), await taught(critic, state, 2));
      const resumed = (await create()).critic;
      await resumed.weights?.load(folder);
      const again = await taught(resumed, JSON.parse(stored) as unknown, 2);
      expectThat(
        (await resumed.values(exampleBatch(), again)).join() === straight.join(),
        "the same bits after a resume",
      );
    },
  },
];

const targets = Float64Array.from({ length: 24 }, (_, row) => 2 - (row % 4));

async function taught(critic: Critic, state: unknown, times: number): Promise<unknown> {
  let now = state;
  for (let time = 0; time < times; time++) now = await critic.fit(exampleBatch(), targets, now);
  return now;
}

function otherEnd(batch: RewardBatch, turn: number): RewardBatch {
  const changed = (utterance: Utterance): Utterance =>
    utterance.turn < turn
      ? utterance
      : { ...utterance, text: `${utterance.text}?`, writtenTokens: utterance.writtenTokens + 1 };
  return {
    ...batch,
    rewards: batch.rewards.map((reward) => 1 - reward),
    turnRewards: batch.turnRewards.map((reward) => reward + 1),
    stepRewards: batch.stepRewards.map((reward) => reward + 1),
    utterances: batch.utterances.map((row) => row.map(changed)),
    episodes: batch.episodes.map((episode) => ({
      ...episode,
      answer: "another",
      utterances: episode.utterances.map(changed),
    })),
  };
}
