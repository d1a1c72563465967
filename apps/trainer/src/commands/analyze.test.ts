import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { nodeFileSystem, readLines } from "@laconic/trainer";
import { folderData, type RunSummary } from "@laconic/view";
import { beforeAll, describe, expect, test } from "vitest";
import type { WorthOfMessage } from "@laconic/view/report";
import { expectRefused, outputOf } from "../../test/laconic.ts";
import { sharedFolder } from "../../../../test/temporary-folder.ts";

describe("analysis of a run", () => {
  const folder = sharedFolder();
  const run = (): string => join(folder, "run");
  beforeAll(async () => {
    const short = ["train.steps=2", "train.evaluation.problems=20", "train.problemsPerStep=2"];
    const words = ["train", "preset:relay-quickstart", ...short, "--run", run()];
    await outputOf(...words);
  });

  test("laconic analyze writes tables, numbers and message values", async () => {
    const out = await outputOf("analyze", run(), "--limit", "12", "--json");
    const analysis = JSON.parse(out) as Record<"values" | "valuesBefore", { messages: number; meanValue: number }> & {
      problems: number;
    };
    expect(analysis.problems).toBe(12);
    expect([analysis.values.messages > 12, analysis.valuesBefore.messages > 12]).toEqual([true, true]);
    expect(await readFile(join(run(), "analysis.md"), "utf8")).toContain("| accuracy |");
    const worths = (await readLines(
      nodeFileSystem,
      join(run(), "message-values.jsonl"),
    )) as unknown as WorthOfMessage[];
    expect([worths.length, worths[0]?.step]).toEqual([analysis.values.messages, 2]);
    const data = await folderData({ folders: [run()] });
    const [{ id }] = (await data.runs()) as [RunSummary];
    const compared = await Promise.all(
      worths.slice(0, 12).map(async ({ problem, turn, text, value }) => {
        const page = await data.episodes(id, { problem, kind: "evaluation", fromStep: 2 });
        const episode = await data.episode(id, page?.rows[0]?.key ?? "");
        const isSaid = episode?.turns.find((each) => each.turn === turn)?.text === text;
        expect(episode?.messageValue.find((each) => each.turn === turn)?.value).toBe(isSaid ? value : undefined);
        return isSaid;
      }),
    );
    expect(compared).toContain(true);
    await data.close();
  });

  test("laconic analyze rescore grades like the run and rejects unknown edges", async () => {
    const out = await outputOf("analyze", "rescore", run(), "--regrade", "--json");
    const again = await outputOf("analyze", "rescore", run(), "--json");
    expect(out).toBe(again);
    await expectRefused(["analyze", "rescore", run(), "--without", "solver->holder-a"], "holder-a->solver");
  });
});
