import type { Advantages, Estimator, Problem, RewardBatch } from "@laconic/core";
import { expectThat, scriptedEpisode, type ConformanceCase } from "@laconic/core/testing";

/** Two problems, three episodes each, two agents with two turns; a row per utterance, a token per letter. */
export function exampleBatch(): RewardBatch {
  const turns = [
    { agent: "a", text: "k6" },
    { agent: "b", text: "15" },
    { agent: "a", text: "ok" },
    { agent: "b", text: "15" },
  ];
  const problems: Problem[] = [0, 1].map((id) => ({ id: `p${id}`, question: "6+9", gold: "15" }));
  const episodes = [0, 1, 2, 3, 4, 5].map((i) => {
    const problem = problems[i < 3 ? 0 : 1] as Problem;
    return { problem, episode: scriptedEpisode(turns, { problemId: problem.id, answer: i % 3 === 0 ? "15" : "1" }) };
  });
  const rows = episodes.flatMap(({ problem, episode }, group) =>
    episode.utterances.map((utterance) => ({ problem, episode, utterance, group: group < 3 ? 0 : 1 })),
  );
  const rewards = Float64Array.from(
    rows,
    ({ episode, problem }, i) => (episode.answer === problem.gold ? 1 : 0) - 0.01 * (i % 4),
  );
  const task = Float64Array.from(rows, ({ episode, problem }) => (episode.answer === problem.gold ? 1 : 0));
  return {
    rewards,
    turnRewards: Float64Array.from(rows, (_, i) => -0.01 * (i % 4)),
    stepRewards: Float64Array.from(rows, (_, i) => 0.02 * (i % 3)),
    groups: Int32Array.from(rows, ({ group, utterance }) => 2 * group + (utterance.agent === "a" ? 0 : 1)),
    offsets: Int32Array.from({ length: rows.length + 1 }, (_, i) => 3 * i),
    agents: rows.map(({ utterance }) => utterance.agent),
    problems: rows.map(({ problem }) => problem),
    episodes: rows.map(({ episode }) => episode),
    utterances: rows.map(({ utterance }) => [utterance]),
    terms: { task },
    costs: { tokens: Float64Array.from(rows, () => 12) },
    prices: { tokens: 0.01 },
    greedyRewards: Float64Array.from(rows, () => 0.5),
  };
}

/** Conformance cases of estimators. */
export const estimatorCases: readonly ConformanceCase<Estimator>[] = [
  {
    name: "gives a finite advantage for each row, or for each token",
    async run(create) {
      const batch = exampleBatch();
      const { advantages } = await estimate(await create(), batch);
      const { length } = advantages;
      expectThat(advantages instanceof Float64Array, "a Float64Array");
      expectThat(
        length === batch.rewards.length || length === batch.offsets.at(-1),
        `24 or 72 advantages, got ${length}`,
      );
      expectThat(advantages.every(Number.isFinite), "finite advantages");
    },
  },
  {
    name: "leaves its batch as it was",
    async run(create) {
      const batch = exampleBatch();
      await estimate(await create(), batch);
      expectThat(shown(batch) === shown(exampleBatch()), "the batch unchanged");
    },
  },
  {
    name: "returns the same for the same batch and state, after any other calls",
    async run(create) {
      const estimator = await create();
      const first = await estimate(estimator, exampleBatch());
      await estimate(estimator, { ...exampleBatch(), rewards: exampleBatch().rewards.toReversed() });
      expectThat(
        shown(first) === shown(await estimate(estimator, exampleBatch())),
        "the same advantages and state twice",
      );
    },
  },
  {
    name: "resumes from a checkpointed state",
    async run(create) {
      const estimator = await create();
      const { state } = await estimate(estimator, exampleBatch());
      const stored = state === undefined ? undefined : (JSON.parse(JSON.stringify(state)) as unknown);
      const [live, resumed] = [
        await estimate(estimator, exampleBatch(), state),
        await estimate(await create(), exampleBatch(), stored),
      ];
      expectThat(shown(live) === shown(resumed), "the same after a round trip of its state through JSON");
    },
  },
];

async function estimate(
  estimator: Estimator,
  batch: RewardBatch,
  state: unknown = estimator.init?.(),
): Promise<Advantages> {
  return estimator.estimate(batch, state);
}

export function shown(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    ArrayBuffer.isView(item) ? Array.from(item as Float64Array) : item,
  );
}
