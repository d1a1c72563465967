import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { complaintAbout, isLong, laconic, startLaconic, temporary } from "./laconic-process.ts";
import { contentOf, smallSettings } from "./small-run.ts";

const runs = ["targetTokens-8-0", "targetTokens-60-0"];
const sweepWords = (folder: string): string[] => [
  "sweep",
  "preset:relay-quickstart",
  "train.budget.targetTokens=8,60",
  "device=wasm",
  "--out",
  folder,
  ...smallSettings,
];

async function sweepContent(folder: string): Promise<unknown> {
  const contents = runs.map((run) => contentOf(join(folder, "runs", run)));
  return [await readFile(join(folder, "sweep.md"), "utf8"), ...(await Promise.all(contents))];
}

/** What is on the screen when it is killed. */
const moments = [
  /targetTokens-60[^]*validation at step 1/u,
  ...(isLong ? [/validation at step 0/u, /targetTokens-60 /u] : []),
];

test(
  "a sweep that is killed goes on with the same command to the same table and bytes",
  { timeout: 300_000 },
  async () => {
    const straight = await temporary();
    expect(await laconic(sweepWords(straight))).toMatchObject({ code: 0 });
    for (const moment of moments) {
      const folder = await temporary();
      const started = startLaconic(sweepWords(folder));
      await started.says(moment);
      started.kill("SIGKILL");
      expect(await started.ended).toMatchObject({ signal: "SIGKILL" });
      const again = await laconic(sweepWords(folder));
      expect([again.code, complaintAbout(again)]).toEqual([0, null]);
      expect(await sweepContent(folder)).toEqual(await sweepContent(straight));
    }
  },
);
