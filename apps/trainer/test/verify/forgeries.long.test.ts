import { verifyRun } from "@laconic/verify";
import { describe, expect, test } from "vitest";
import { copyOfRun, editEvaluation, editLines, type Loose } from "../edited-run.ts";
import {
  changedPlaces,
  copyEpisode,
  episodeOf,
  evaluationAt,
  forged,
  honest,
  isRight,
  keysOf,
  last,
  placesOf,
  stagesOf,
  uncovered,
  type Plant,
} from "./forged-run.ts";

test("an honest run agrees, also with recomputed checksums", async () => {
  const report = await verifyRun(honest.run);
  expect([report.contradictions, report.verdict]).toEqual([[], "partial"]);
  expect(report.notCovered.map(({ name }) => name)).toEqual(uncovered);
  expect((await forged(async () => undefined)).contradictions).toEqual([]);
  expect((await verifyRun(honest.run, uncovered)).verdict).toBe("agrees");
});

describe("a changed accuracy of an evaluation", () => {
  test("an answer rewritten with its tokens kept", async () => {
    const report = await forged((run) =>
      editEvaluation(run, "validation", last, (content) => {
        for (const index of placesOf(content, false)) {
          const { problem } = content.played[index];
          const episode = content.episodes[content.played[index].episode];
          episode.answer = content.utterances[episode.utterances.at(-1)].text = `it is ${problem.gold}`;
          content.played[index].task = 1;
        }
      }),
    );
    expect(stagesOf(report)).toEqual(["text"]);
    const onlyTheAnswer = await forged((run) =>
      editEvaluation(run, "validation", last, (content) => {
        const [index] = placesOf(content, false) as [number];
        content.episodes[content.played[index].episode].answer = `it is ${content.played[index].problem.gold}`;
        content.played[index].task = 1;
      }),
    );
    expect(keysOf(onlyTheAnswer)).toEqual(["answer"]);
  });

  test("wrong episodes replaced by copies of right ones", async () => {
    const copying =
      (change: (content: Loose, source: number, place: number) => void): Plant =>
      (run) =>
        editEvaluation(run, "validation", last, (content) => {
          const [source] = placesOf(content, true) as [number];
          for (const index of placesOf(content, false)) change(content, source, index);
        });
    const shared = await forged(
      copying((content, source, index) => {
        content.played[index] = { ...content.played[index], episode: content.played[source].episode, task: 1 };
      }),
    );
    expect(keysOf(shared)).toContain("log-probs and episodes too many");
    const copied = await forged(
      copying((content, source, index) => copyEpisode(content, source, content, index, true)),
    );
    expect(keysOf(copied)).toContain("prompt of the problem");
    const replaced = await forged(
      copying((content, source, index) => {
        copyEpisode(content, source, content, index, true);
        content.played[index].problem = content.played[source].problem;
        content.episodes[content.played[index].episode].problemId = content.played[source].problem.id;
      }),
    );
    expect(keysOf(replaced)).toContain("duplicate problems");
  });

  test("a reply with the same gold answer after the prompts of a wrong episode", async () => {
    const report = await forged((run) =>
      editEvaluation(run, "validation", last, (content) => {
        const goldAt = (index: number): string => content.played[index].problem.gold;
        const right = placesOf(content, true);
        for (const index of placesOf(content, false)) {
          const source = right.find((other) => goldAt(other) === goldAt(index));
          if (source === undefined) continue;
          const before = structuredClone(episodeOf(content, index).spoken);
          copyEpisode(content, source, content, index, true);
          const { utterances } = content.episodes[content.played[index].episode];
          for (const [turn, number] of (utterances as number[]).entries()) {
            const [own, { prompt, promptTokens }] = [content.utterances[number], before[turn]];
            if (own.agent !== "solver") Object.assign(own, { prompt, promptTokens });
            else {
              own.promptTokens.splice(1, 3, ...promptTokens.slice(1, 4));
              own.prompt = `S:${content.played[index].problem.question}${own.prompt.slice(5)}`;
            }
          }
        }
      }),
    );
    expect(new Set(keysOf(report))).toEqual(new Set(["reply with the log-probs of this one"]));
  });

  test.each([true, false])("right replies of another evaluation with their weight version: %s", async (keeps) => {
    const report = await forged(async (run) => {
      const [from, places] = await changedPlaces(run, 0, last);
      await editEvaluation(run, "validation", last, (content) => {
        for (const index of places) copyEpisode(from, index, content, index, keeps);
      });
    });
    expect(new Set(keysOf(report))).toEqual(
      new Set(
        keeps
          ? ["optimizer steps of the weights", "reply with the log-probs of this one"]
          : ["reply with the log-probs of this one"],
      ),
    );
  });

  test("an evaluation copied from an earlier step", async () => {
    const report = await forged(async (run) => {
      const from = await evaluationAt(run, 0);
      await editEvaluation(run, "validation", last, (content) => {
        const { model } = content.utterances[0];
        Object.assign(content, from, { step: last });
        for (const utterance of content.utterances) utterance.model = model;
      });
    });
    expect(new Set(keysOf(report))).toEqual(new Set(["reply with the log-probs of this one"]));
  });

  test("test problems replaced by validation problems", async () => {
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

  test("a first evaluation made worse", async () => {
    const byCopies = await forged(async (run) => {
      const [from, to] = [await evaluationAt(run, last), await evaluationAt(run, 0)];
      const places = placesOf(from, false).filter((index) => isRight(to.played[index]));
      await editEvaluation(run, "validation", 0, (content) => {
        for (const index of places) copyEpisode(from, index, content, index, false);
      });
    });
    expect(keysOf(byCopies)).toContain("reply with the log-probs of this one");
    const byGrades = await forged((run) =>
      editEvaluation(run, "validation", 0, (content) => {
        for (const index of placesOf(content, true).slice(0, 20)) content.played[index].task = 0;
      }),
    );
    expect(stagesOf(byGrades)).toEqual(["grade"]);
    const byAnswers = await forged((run) =>
      editEvaluation(run, "validation", 0, (content) => {
        for (const index of placesOf(content, true).slice(0, 20)) {
          content.episodes[content.played[index].episode].answer = "it is 99";
          content.played[index].task = 0;
        }
      }),
    );
    expect(keysOf(byAnswers)).toEqual(byAnswers.contradictions.map(() => "answer"));
    const run = await copyOfRun(honest.run);
    await editLines(run, "evaluations.jsonl", (row) => void (row.step === 0 && (row.accuracy = 0.5)));
    expect(keysOf(await verifyRun(run))).toContain("accuracy");
  });
});
