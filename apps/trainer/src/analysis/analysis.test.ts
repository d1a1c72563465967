import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordingTerminal } from "../cli/recording-terminal.ts";
import { main } from "../main.ts";

describe("on a run", () => {
  let folder: string;
  const run = (): string => join(folder, "run");
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "laconic-analysis-"));
    const short = ["train.steps=2", "train.evaluation.problems=20", "train.problemsPerStep=2"];
    const words = ["train", "preset:relay-quickstart", ...short, "--run", run()];
    await main(words, { terminal: recordingTerminal() });
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true }));

  test("laconic analyze writes page, numbers and picture", { timeout: 60_000 }, async () => {
    const terminal = recordingTerminal();
    expect(await main(["analyze", run(), "--problems", "12", "--json"], { terminal })).toBe(0);
    const analysis = JSON.parse(terminal.out.at(-1) ?? "{}") as { problems: number; values: { messages: number } };
    expect(analysis.problems).toBe(12);
    expect(analysis.values.messages).toBeGreaterThan(12);
    expect(await readFile(join(run(), "analysis.md"), "utf8")).toContain("| accuracy |");
    expect(await readFile(join(run(), "speech-graph.svg"), "utf8")).toMatch(/^<svg/u);
  });

  test("laconic rescore grades as the run did; edges that are not there are refused", async () => {
    const terminal = recordingTerminal();
    expect(await main(["rescore", run(), "--regrade", "--json"], { terminal })).toBe(0);
    const again = recordingTerminal();
    expect(await main(["rescore", run(), "--json"], { terminal: again })).toBe(0);
    expect(terminal.out.at(-1)).toBe(again.out.at(-1));
    const refused = recordingTerminal();
    expect(await main(["rescore", run(), "--without", "solver->holder-a"], { terminal: refused })).toBe(2);
    expect(refused.err.join("\n")).toContain("holder-a->solver");
  });
});
