import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { nodeFileSystem } from "@laconic/trainer";
import { episodeMembers, writeEpisodeMembers } from "@laconic/trainer/testing";
import { verifyRun, type Stage } from "@laconic/verify";
import { expect, test } from "vitest";
import {
  copyOfRun,
  editEvaluation,
  editJson,
  editLines,
  editNumbers,
  editStep,
  reseal,
  type Loose,
} from "../edited-run.ts";
import {
  episodeOf,
  evaluationAt,
  forged,
  honest,
  isRight,
  last,
  logProbsAt,
  placesOf,
  stagesOf,
  uncovered,
  type Plant,
} from "./forged-run.ts";

const policy = (content: Loose): Loose => content.policies.policy;
const lines =
  (file: string, edit: (row: Loose) => void | false): Plant =>
  (run) =>
    editLines(run, file, edit);
const inStep =
  (edit: (content: Loose) => void, step = 3): Plant =>
  (run) =>
    editStep(run, step, edit);
const inEvaluation =
  (edit: (content: Loose) => void): Plant =>
  (run) =>
    editEvaluation(run, "validation", last, edit);
const inConfig =
  (edit: (train: Loose) => void): Plant =>
  (run) =>
    editJson(join(run, "config.json"), ({ train }) => edit(train));
const withoutMembers =
  (gone: (head: Loose) => boolean): Plant =>
  async (run) =>
    writeEpisodeMembers(
      nodeFileSystem,
      run,
      (await episodeMembers(nodeFileSystem, run)).filter(({ head }) => !gone(head)),
    );

const forgeries: readonly (readonly [name: string, plant: Plant, stage: Stage])[] = [
  ["training accuracy in the metrics", lines("metrics.jsonl", (row) => void (row["task/accuracy"] = 1)), "metric"],
  ["fewer tokens in the metrics", lines("metrics.jsonl", (row) => void (row["tokens/episode_mean"] /= 2)), "metric"],
  ["a loss in the metrics", lines("metrics.jsonl", (row) => void (row["actor/pg_loss"] = 0)), "metric"],
  ["a row of metrics that is gone", lines("metrics.jsonl", ({ step }) => step !== 2 && undefined), "files"],
  ["another seed", inConfig((train) => (train.seed = 7)), "problem"],
  ["another budget", inConfig((train) => (train.budget.targetTokens = 40)), "price"],
  ["another clip", inConfig((train) => (train.objective.clip.high = 0.2)), "loss"],
  ["another learning rate", inConfig((train) => (train.optimizer.learningRate.peak = 1e-4)), "loss"],
  ["other steps between evaluations", inConfig((train) => (train.evaluation.every = 1)), "files"],
  [
    "the price of the step before",
    inStep((content) => (content.prices.tokens = policy(content).prices.tokens = 0)),
    "price",
  ],
  ["a reward", inStep(({ rollouts }) => (rollouts[5].reward += 0.5)), "reward"],
  [
    "a term and its reward",
    inStep(({ rollouts }) => ((rollouts[5].terms.task += 1), (rollouts[5].reward += 1))),
    "reward",
  ],
  ["a cost in other units", inStep(({ rollouts }) => (rollouts[0].costs.turns += 1)), "reward"],
  [
    "a training grade",
    inStep(({ episodes, rollouts }) => {
      const { score } = episodes[rollouts[3].episode];
      score.value = score.reward.team.task = 1 - score.value;
    }),
    "grade",
  ],
  [
    "the sign of an advantage",
    inStep((content) =>
      editNumbers(policy(content).advantages, (values) => values.forEach((_, i) => (values[i]! *= -1))),
    ),
    "advantage",
  ],
  ["a loss", inStep((content) => (policy(content).updates[0].loss -= 0.1)), "loss"],
  [
    "log-probs of an update",
    inStep((content) => editNumbers(policy(content).updates[1].logProbs, (values) => (values[0]! -= 0.5))),
    "loss",
  ],
  ["the rate of an update", inStep((content) => (policy(content).updates[1].learningRate *= 1.01)), "loss"],
  ["a reply that was not trained on", inStep((content) => policy(content).sequences.pop()), "batch"],
  [
    "a row that two updates have",
    inStep((content) => (policy(content).updates[0].rows[0] = policy(content).updates[1].rows[0])),
    "batch",
  ],
  ["an episode of another group", inStep(({ rollouts }) => (rollouts[1].group = 1)), "batch"],
  [
    "a training problem of the validation set",
    async (run) => {
      const { played } = await evaluationAt(run, 0);
      await editStep(run, 3, (content) => (content.problems[0] = played[0].problem));
    },
    "problem",
  ],
  [
    "fewer written tokens",
    inEvaluation((content) => {
      for (const { utterances, ledger } of content.episodes)
        utterances.forEach((number: number, turn: number) => {
          content.utterances[number].writtenTokens = ledger.calls[turn].writtenTokens = 1;
        });
    }),
    "ledger",
  ],
  ["fewer read tokens", inEvaluation(({ episodes }) => (episodes[0].ledger.calls[3].reads[0].tokens = 0)), "ledger"],
  ["an edge that is gone", inEvaluation(({ episodes }) => episodes[0].ledger.calls[3].reads.pop()), "ledger"],
  [
    "silence that was speech",
    inEvaluation((content) => (content.utterances[content.episodes[0].utterances[0]].silent = true)),
    "text",
  ],
  ["words of a holder", inEvaluation((content) => (content.utterances[0].text = "k6")), "text"],
  ["a prompt", inEvaluation((content) => (content.utterances[0].prompt = "A:k6?k+e>")), "text"],
  [
    "tokens that are gone",
    inEvaluation((content) => {
      const [from, count] = logProbsAt(content, 0);
      editNumbers(content.sampledLogProbs, (values) => void values.splice(from, count));
      delete content.utterances[0].tokens;
    }),
    "text",
  ],
  [
    "log-probs too many",
    inEvaluation((content) => editNumbers(content.sampledLogProbs, (values) => void values.push(0))),
    "evaluation",
  ],
  [
    "a log-prob above 0",
    inEvaluation((content) => editNumbers(content.sampledLogProbs, (values) => (values[0] = 1))),
    "text",
  ],
  [
    "wrong episodes without a score",
    inEvaluation((content) => {
      for (const index of placesOf(content, false)) content.played[index].task = null;
    }),
    "grade",
  ],
  [
    "wrong problems that are left out",
    async (run) => {
      await inConfig((train) => (train.evaluation.problems = 50))(run);
      await inEvaluation((content) => (content.played = content.played.filter(isRight).slice(0, 50)))(run);
    },
    "problem",
  ],
  [
    "gold answers that are those of the team",
    inEvaluation((content) => {
      for (const index of placesOf(content, false)) {
        const [, number] = /(\d+)$/u.exec(episodeOf(content, index).answer) ?? [];
        content.played[index].problem.gold = number;
        content.played[index].task = 1;
      }
    }),
    "problem",
  ],
  ["problems in another order", inEvaluation((content) => (content.played = content.played.toReversed())), "problem"],
  ["a step that is gone", withoutMembers(({ kind, step }) => kind === "step" && step === 3), "files"],
  [
    "an evaluation whose episodes are gone",
    withoutMembers(({ kind, step }) => kind === "evaluation" && step === 0),
    "files",
  ],
  [
    "an evaluation that is gone",
    async (run) => {
      await withoutMembers(({ kind, step }) => kind === "evaluation" && step === 2)(run);
      await editLines(run, "evaluations.jsonl", ({ step }) => step !== 2 && undefined);
    },
    "files",
  ],
  [
    "a price in a checkpoint",
    (run) => editJson(join(run, "checkpoints/step-00000004/state.json"), ({ budgets }) => (budgets.tokens.price = 0)),
    "price",
  ],
];

test.each(forgeries)("%s", async (_, plant, stage) => {
  expect(stagesOf(await forged(plant))).toContain(stage);
});

test("metrics that contradict their episodes", async () => {
  for (const [file, key] of [
    ["test.json", "accuracy"],
    ["test.json", "tokens"],
    ["checkpoints/step-00000004/state.json", "after"],
  ] as const) {
    const run = await copyOfRun(honest.run);
    await editJson(
      join(run, file),
      (json) => (json[key] = key === "after" ? { ...json.after, accuracy: 1 } : json[key] / 2),
    );
    await reseal(run);
    expect([file, key, (await verifyRun(run)).verdict]).toEqual([file, key, "contradicts"]);
  }
});

test("reports removed files as not covered", async () => {
  const run = await copyOfRun(honest.run);
  await unlink(join(run, "test.json"));
  const { verdict, notCovered } = await verifyRun(run, uncovered);
  expect(verdict).toBe("partial");
  expect(notCovered).toContainEqual({ name: "test problems", why: "there is no test.json" });
});

const unknown: readonly (readonly [string, (train: Loose) => unknown, name: string, what: string])[] = [
  [
    "a cost",
    (train) => (train.costs = { tokens: { kind: "nonsense" } }),
    'train.costs.tokens.kind "nonsense"',
    "rewards",
  ],
  [
    "an estimator",
    (train) => (train.advantage = { estimator: "nonsense" }),
    'train.advantage.estimator "nonsense"',
    "advantages",
  ],
  ["an objective", (train) => (train.objective.name = "nonsense"), 'train.objective.name "nonsense"', "losses"],
  ["an option", (train) => (train.objective.sharpen = 2), "train.objective.sharpen", "losses"],
  ["a value of the user", (train) => (train.advantage = "./mine.ts"), 'train.advantage "./mine.ts"', "advantages"],
  [
    "a setting",
    (train) => (train.lottery = { from: 1 }),
    "train.lottery",
    "rewards, prices, learning rates, losses, advantages",
  ],
];

test.each(unknown)("names an unknown %s without approving it", async (_, edit, name, what) => {
  const { verdict, notCovered, contradictions } = await forged(inConfig(edit));
  expect([contradictions, verdict]).toEqual([[], "partial"]);
  const [match] = notCovered.filter((item) => item.name === name);
  expect(match?.why.split(", ").toSorted()).toEqual(what.split(", ").toSorted());
});
