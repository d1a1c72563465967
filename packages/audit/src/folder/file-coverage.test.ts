import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runFileRules, runFiles } from "@laconic/core/run-folder";
import { expect, test } from "vitest";
import { coverageOf } from "./file-coverage.ts";

test("every file that a run may write is named, and what nobody knows is uncovered", async () => {
  const run = await mkdtemp(join(tmpdir(), "laconic-"));
  try {
    for (const [key, name] of Object.entries(runFiles)) {
      if (runFileRules[key as keyof typeof runFiles].isFolder) await mkdir(join(run, name));
      else await writeFile(join(run, name), "");
    }
    for (const name of ["report.html", "notes.txt"]) await writeFile(join(run, name), "");
    const files = await coverageOf(run, true);
    const stateOf = (name: string): string | undefined => files.find(({ file }) => file === name)?.state;
    expect(files.map(({ file }) => file)).toEqual([...Object.values(runFiles), "report.html", "notes.txt"].toSorted());
    const unknown = files.find(({ file }) => file === "notes.txt");
    expect([unknown?.state, stateOf("environment.json"), stateOf("timing.jsonl")]).toEqual(
      Array.from({ length: 3 }, () => "uncovered"),
    );
    for (const name of Object.values(runFiles))
      expect(files.find(({ file }) => file === name)?.why, name).not.toBe(unknown?.why);
    expect(stateOf("checkpoints")).toBe("covered");
    expect((await coverageOf(run, false)).find(({ file }) => file === "checkpoints")?.state).toBe("partly");
  } finally {
    await rm(run, { recursive: true });
  }
});
