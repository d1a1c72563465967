import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SampleRecord } from "@laconic/evaluation";
import { expect, test } from "vitest";
import { cli, laconic, rowsIn } from "../../test/laconic.ts";
import { recordingServer } from "../../test/recording-server.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

test("a model judges free answers by their golds; without a verdict they are undecided", async () => {
  const folder = await temporaryFolder();
  const questions = join(folder, "questions.csv");
  await writeFile(
    questions,
    "question,gold\nWho wrote Emma?,Jane Austen\nWho wrote Faust?,Goethe\nWho wrote Ulysses?,Joyce\n",
  );
  const { url, served } = await recordingServer(({ model, messages }) => {
    const prompt = messages.at(-1)?.content ?? "";
    if (model === "writer")
      return /Emma/u.test(prompt) ? "Miss Austen did." : /Faust/u.test(prompt) ? "Schiller." : "?";
    const code = /<<<([A-Z]{8}) /u.exec(prompt)?.[1] ?? "";
    return /Ulysses/u.test(prompt) ? "I cannot say." : `${code} task: ${/Austen did/u.test(prompt) ? 9 : 2}`;
  });
  const input = ["--data", questions, "--grading", "text", "--model", "writer", "--base-url", url, "--offline"];
  const words = ["bench", ...input, "--methods", "vanilla", "--judge", "critic", "--run", join(folder, "run")];
  const { code, out, err } = await laconic(...words);
  expect([code, err]).toEqual([1, expect.stringContaining("plus at most 6 requests to the judge critic")]);
  expect(out).toContain(`Free answers are judged by critic at ${url.replace("/v1", "")}`);
  const records = await rowsIn<SampleRecord>(join(folder, "run"), "samples.jsonl");
  const verdicts = records.map(({ gold, status, correct, rule }) => [gold, status, correct, rule]);
  expect(verdicts.toSorted((a, b) => String(a[0]).localeCompare(String(b[0])))).toEqual([
    ["Goethe", "scored", false, "judged by critic: 0.20"],
    ["Jane Austen", "scored", true, "judged by critic: 0.90"],
    ["Joyce", "undecided", null, expect.stringContaining("the judge critic gave none in 2 attempts")],
  ]);
  expect(
    served
      .filter(({ model }) => model === "critic")
      .every(({ messages }) => /Austen|Goethe|Joyce/u.test(messages.at(-1)?.content ?? "")),
  ).toBe(true);
});

test("rejects a judge without free answers and a cap without a price", async () => {
  const folder = await temporaryFolder();
  const questions = join(folder, "sums.csv");
  await writeFile(questions, "question,gold\n2+2?,4\n");
  const input = cli`bench --data ${questions} --methods vanilla --model m --base-url http://127.0.0.1:9/v1`;
  const of = (...more: readonly string[]) =>
    laconic(...input, "--judge", "critic", "--run", join(folder, "run"), ...more);
  const idle = await of("--grading", "numeric");
  expect([idle.code, idle.err]).toEqual([2, expect.stringContaining("--judge: no question has a free answer")]);
  const dear = await of("--grading", "text", "--price", "1,1", "--max-usd", "1");
  expect([dear.code, dear.err]).toEqual([
    2,
    expect.stringContaining("the price of critic is unknown; give --judge-price"),
  ]);
});
