import { tmpdir } from "node:os";
import { join } from "node:path";
import { tinyRun } from "@laconic/trainer/testing";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { inputsOfRun } from "./open-run.ts";

const settings = { steps: 1, problemsPerStep: 1, evaluation: { every: 0, problems: 1, transcripts: 1 } };
const files = { "model: model.safetensors": "a", "data: validation problems": "b" };
const now = {
  ...files,
  "data: test problems": "c",
  "value model judge: config.json": "d",
  "value model judge: model.safetensors": "e",
};

async function runOf(inputs: Readonly<Record<string, string>>): Promise<string> {
  const directory = await temporaryFolder();
  await tinyRun({ directory: join(directory, "run"), settings, inputs });
  return join(directory, "run");
}

test("a run from before models of critics and rewards were kept goes on without them; a newer one compares them all", async () => {
  expect(await inputsOfRun(await runOf(files), now)).toEqual(files);
  const { "data: test problems": tested, ...rest } = now;
  expect(await inputsOfRun(await runOf({ ...files, "data: test problems": "c" }), now)).toEqual({
    ...files,
    "data: test problems": tested,
  });
  // Of a kind that it kept, everything counts: another model is named as a change.
  expect(await inputsOfRun(await runOf({ ...files, "value model judge: config.json": "d" }), now)).toEqual(rest);
  expect(await inputsOfRun(join(tmpdir(), "laconic-no-run"), now)).toEqual(now);
});
