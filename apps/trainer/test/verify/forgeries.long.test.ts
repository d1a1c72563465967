import { mkdtemp, rm, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { episodeMembers, writeEpisodeMembers } from "@laconic/trainer/testing";
import { nodeFileSystem } from "@laconic/trainer";
import { verifyRun, type Contradiction, type Stage, type VerifyReport } from "@laconic/verify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  copyOfRun,
  editEvaluation,
  editJson,
  editLines,
  editNumbers,
  editStep,
  remeasure,
  reseal,
  type Loose,
} from "../edited-run.ts";
import { laconic } from "../laconic.ts";

/** A budget that charges from the second step on, a clip that acts, and steps that move every log-prob. */
const words = [
  "preset:relay-quickstart",
  "train.steps=4",
  "train.problemsPerStep=4",
  "train.episodesPerProblem=4",
  'train.budget={"targetTokens":14,"learningRate":0.00001}',
  'train.objective={"name":"gspo","clip":{"low":0.003,"high":0.004}}',
  'train.optimizer.learningRate={"peak":0.001,"warmUpSteps":0,"decay":"cosine","finalFraction":0.1}',
  "train.evaluation.problems=60",
  "train.evaluation.every=2",
  "train.checkpoint.every=2",
];
const last = 4;

let whole = "";
beforeAll(async () => {
  whole = join(await mkdtemp(join(tmpdir(), "laconic-")), "run");
  const { code, err } = await laconic("train", ...words, "--run", whole);
  if (code !== 0) throw new Error(err);
}, 120_000);
afterAll(() => rm(dirname(whole), { recursive: true, force: true }));

/** What no run can be held to by its folder alone. */
const uncovered = ["metrics", "settings", "weights", "files"];

type Plant = (run: string) => Promise<unknown>;

/** What a forger plants, with every figure and checksum of the folder made to fit it. */
async function forged(plant: Plant): Promise<VerifyReport> {
  const run = await copyOfRun(whole);
  await plant(run);
  await remeasure(run);
  await reseal(run);
  return verifyRun(run);
}

const stagesOf = ({ contradictions }: VerifyReport): Stage[] => [...new Set(contradictions.map(({ stage }) => stage))];
const keysOf = ({ contradictions }: VerifyReport): string[] => contradictions.map(({ key }: Contradiction) => key);

/** The episode of a problem of an evaluation, with its utterances. */
function episodeOf(content: Loose, place: number): Loose {
  const episode = content.episodes[content.played[place].episode];
  return { ...episode, spoken: episode.utterances.map((i: number) => content.utterances[i]) };
}
const isRight = ({ task }: Loose): boolean => task === 1;
const placesOf = (content: Loose, right: boolean): number[] =>
  content.played.flatMap((played: Loose, i: number) => (isRight(played) === right ? [i] : []));

/** Tokens of an utterance in the flat column of log-probs. */
function logProbsAt(content: Loose, utterance: number): readonly [from: number, count: number] {
  const before = content.utterances.slice(0, utterance).map(({ tokens = [] }: Loose) => tokens.length);
  return [before.reduce((sum: number, count: number) => sum + count, 0), content.utterances[utterance].tokens.length];
}

/** Takes the words of an episode from elsewhere, with their tokens and log-probs. */
function copyEpisode(from: Loose, source: number, to: Loose, place: number, keepsVersion: boolean): void {
  const [taken, replaced] = [from.episodes[from.played[source].episode], to.episodes[to.played[place].episode]];
  replaced.answer = taken.answer;
  replaced.ledger = structuredClone(taken.ledger);
  replaced.utterances.forEach((number: number, i: number) => {
    const other: number = taken.utterances[i];
    let values: number[] = [];
    const [start, count] = logProbsAt(from, other);
    editNumbers(structuredClone(from.sampledLogProbs), (all) => (values = all.slice(start, start + count)));
    const [at, length] = logProbsAt(to, number);
    editNumbers(to.sampledLogProbs, (all) => void all.splice(at, length, ...values));
    const { model } = to.utterances[number];
    to.utterances[number] = { ...structuredClone(from.utterances[other]), ...(!keepsVersion && { model }) };
  });
  to.played[place].task = from.played[source].task;
}

async function evaluationAt(run: string, step: number): Promise<Loose> {
  const members = await episodeMembers(nodeFileSystem, run);
  return structuredClone(members.find(({ head }) => head.kind === "evaluation" && head.step === step)?.content);
}

/** Problems that were right at one step and wrong at another. */
async function changedPlaces(
  run: string,
  right: number,
  wrong: number,
): Promise<readonly [from: Loose, places: number[]]> {
  const [from, to] = [await evaluationAt(run, right), await evaluationAt(run, wrong)];
  const places = placesOf(to, false).filter((place) => isRight(from.played[place]));
  expect(places).not.toEqual([]);
  return [from, places];
}

test("an honest run agrees as far as covered, resealed or not", async () => {
  const report = await verifyRun(whole);
  expect([report.contradictions, report.verdict]).toEqual([[], "partial"]);
  expect(report.notCovered.map(({ name }) => name)).toEqual(uncovered);
  expect((await forged(async () => undefined)).contradictions).toEqual([]);
  expect((await verifyRun(whole, uncovered)).verdict).toBe("agrees");
});

describe("accuracy of an evaluation", () => {
  test("an answer that is rewritten while its tokens are kept", async () => {
    const report = await forged((run) =>
      editEvaluation(run, "validation", last, (content) => {
        for (const place of placesOf(content, false)) {
          const { problem } = content.played[place];
          const episode = content.episodes[content.played[place].episode];
          episode.answer = content.utterances[episode.utterances.at(-1)].text = `it is ${problem.gold}`;
          content.played[place].task = 1;
        }
      }),
    );
    expect(stagesOf(report)).toEqual(["text"]);
    const onlyTheAnswer = await forged((run) =>
      editEvaluation(run, "validation", last, (content) => {
        const [place] = placesOf(content, false) as [number];
        content.episodes[content.played[place].episode].answer = `it is ${content.played[place].problem.gold}`;
        content.played[place].task = 1;
      }),
    );
    expect(keysOf(onlyTheAnswer)).toEqual(["answer"]);
  });

  test("wrong episodes that are replaced by copies of right ones", async () => {
    const copying =
      (change: (content: Loose, source: number, place: number) => void): Plant =>
      (run) =>
        editEvaluation(run, "validation", last, (content) => {
          const [source] = placesOf(content, true) as [number];
          for (const place of placesOf(content, false)) change(content, source, place);
        });
    const shared = await forged(
      copying((content, source, place) => {
        content.played[place] = { ...content.played[place], episode: content.played[source].episode, task: 1 };
      }),
    );
    expect(keysOf(shared)).toContain("log-probs and episodes too many");
    const copied = await forged(
      copying((content, source, place) => copyEpisode(content, source, content, place, true)),
    );
    expect(keysOf(copied)).toContain("prompt of the problem");
    const replaced = await forged(
      copying((content, source, place) => {
        copyEpisode(content, source, content, place, true);
        content.played[place].problem = content.played[source].problem;
        content.episodes[content.played[place].episode].problemId = content.played[source].problem.id;
      }),
    );
    expect(keysOf(replaced)).toContain("problems that are played twice");
  });

  test.each([true, false])(
    "right replies of another evaluation, with their version of the weights: %s",
    async (keeps) => {
      const report = await forged(async (run) => {
        const [from, places] = await changedPlaces(run, 0, last);
        await editEvaluation(run, "validation", last, (content) => {
          for (const place of places) copyEpisode(from, place, content, place, keeps);
        });
      });
      expect(new Set(keysOf(report))).toEqual(
        new Set(
          keeps
            ? ["optimiser steps of the weights", "reply with the log-probs of this one"]
            : ["reply with the log-probs of this one"],
        ),
      );
    },
  );

  test("test problems that are replaced by validation problems", async () => {
    const report = await forged(async (run) => {
      const from = await evaluationAt(run, last);
      await editEvaluation(run, "test", last, (content) => Object.assign(content, from));
    });
    expect(keysOf(report)).toContain("split");
    expect(stagesOf(report)).toContain("problem");
    const renamed = await forged(async (run) => {
      const from = await evaluationAt(run, last);
      for (const { problem } of from.played) problem.id += " ";
      for (const episode of from.episodes) episode.problemId += " ";
      await editEvaluation(run, "test", last, (content) => Object.assign(content, from));
    });
    expect(keysOf(renamed)).toContain("split of its content");
  });

  test("a first evaluation that is made worse", async () => {
    const byCopies = await forged(async (run) => {
      const [from, to] = [await evaluationAt(run, last), await evaluationAt(run, 0)];
      const places = placesOf(from, false).filter((place) => isRight(to.played[place]));
      await editEvaluation(run, "validation", 0, (content) => {
        for (const place of places) copyEpisode(from, place, content, place, false);
      });
    });
    expect(keysOf(byCopies)).toContain("reply with the log-probs of this one");
    const byGrades = await forged((run) =>
      editEvaluation(run, "validation", 0, (content) => {
        for (const place of placesOf(content, true).slice(0, 20)) content.played[place].task = 0;
      }),
    );
    expect(stagesOf(byGrades)).toEqual(["grade"]);
    const byAnswers = await forged((run) =>
      editEvaluation(run, "validation", 0, (content) => {
        for (const place of placesOf(content, true).slice(0, 20)) {
          content.episodes[content.played[place].episode].answer = "it is 99";
          content.played[place].task = 0;
        }
      }),
    );
    expect(keysOf(byAnswers)).toEqual(byAnswers.contradictions.map(() => "answer"));
    const run = await copyOfRun(whole);
    await editLines(run, "evaluations.jsonl", (row) => void (row.step === 0 && (row.accuracy = 0.5)));
    expect(keysOf(await verifyRun(run))).toContain("accuracy");
  });
});

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

/** What else may be changed in a folder, and the stage that finds it. */
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
      for (const place of placesOf(content, false)) content.played[place].task = null;
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
      for (const place of placesOf(content, false)) {
        const [, number] = /(\d+)$/u.exec(episodeOf(content, place).answer) ?? [];
        content.played[place].problem.gold = number;
        content.played[place].task = 1;
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

test("figures that do not fit their episodes", async () => {
  for (const [file, key] of [
    ["test.json", "accuracy"],
    ["test.json", "tokens"],
    ["checkpoints/step-00000004/state.json", "after"],
  ] as const) {
    const run = await copyOfRun(whole);
    await editJson(
      join(run, file),
      (json) => (json[key] = key === "after" ? { ...json.after, accuracy: 1 } : json[key] / 2),
    );
    await reseal(run);
    expect([file, key, (await verifyRun(run)).verdict]).toEqual([file, key, "contradicts"]);
  }
});

test("what is taken away is not covered", async () => {
  const run = await copyOfRun(whole);
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

test.each(unknown)("%s that is not known is named, and not approved", async (_, edit, name, what) => {
  const { verdict, notCovered, contradictions } = await forged(inConfig(edit));
  expect([contradictions, verdict]).toEqual([[], "partial"]);
  const [found] = notCovered.filter((each) => each.name === name);
  expect(found?.why.split(", ").toSorted()).toEqual(what.split(", ").toSorted());
});
