import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import orders from "../../../assets/gpqa-orders.json" with { type: "json" };
import { temporaryFolder } from "../../../../../test/temporary-folder.ts";
import { openSplit } from "../open-split.ts";
import { benchmarkNamed } from "../registry.ts";
import { questionText } from "../question-text.ts";

const header =
  "Pre-Revision Question,Question,Correct Answer,Incorrect Answer 1,Incorrect Answer 2,Incorrect Answer 3,Explanation,Record ID,Subdomain,High-level domain";
const rowOf = (n: number): string =>
  `old,"What is ${n}, ""really""?",right ${n},wrong ${n}1,wrong ${n}2,"wrong\n${n}3",Because.,rec${n},Optics,Physics`;

async function folderWith(file: string, ...lines: readonly string[]): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "gpqa"));
  await writeFile(join(folder, "gpqa", file), lines.join("\r\n"));
  return folder;
}

test("options have the order of the authors' script, and the gold follows the right option", async () => {
  const folder = await folderWith("gpqa_main.csv", `\uFEFF${header}`, rowOf(1), rowOf(2), rowOf(3));
  const { problems, warnings, files } = await openSplit(benchmarkNamed("gpqa"), { folder });
  // Python's random.seed(0), then shuffle of [wrong 1, wrong 2, wrong 3, right] a row: 2013, 0132, 0213.
  expect(problems.map(({ choices, gold }) => [choices, gold])).toEqual([
    [["wrong\n13", "wrong 11", "wrong 12", "right 1"], "D"],
    [["wrong 21", "wrong 22", "right 2", "wrong\n23"], "C"],
    [["wrong 31", "wrong\n33", "wrong 32", "right 3"], "D"],
  ]);
  expect(problems[0]).toMatchObject({ id: "gpqa/rec1", metadata: { domain: "Physics" }, solution: "Because." });
  expect(questionText(problems[1] as (typeof problems)[number])).toBe(
    'What is 2, "really"?\nA) wrong 21\nB) wrong 22\nC) right 2\nD) wrong\n23',
  );
  expect(warnings).toEqual(["GPQA, split main: 3 problems, expected 448"]);
  expect(files).toMatchObject([
    { known: false, placed: true, sha256: expect.stringMatching(/^[0-9a-f]{64}$/u) as string },
  ]);
});

test("every row of the largest part has an order, as Python shuffles", () => {
  const all = orders.split(" ");
  expect(all).toHaveLength(546);
  expect(all.every((order) => Array.from(order).toSorted().join("") === "0123")).toBe(true);
  // Past the first 624 words of the generator.
  expect(all.slice(197, 200)).toEqual(["3120", "2031", "2301"]);
});

test("a part whose bytes are known takes no others, and an absent file says how one comes by it", async () => {
  const folder = await folderWith("gpqa_diamond.csv", header, rowOf(1));
  const diamond = benchmarkNamed("gpqa-diamond");
  await expect(openSplit(diamond, { folder })).rejects.toThrow(/expected 41d1213c/u);
  expect((await openSplit(diamond, { folder, allowChanged: true })).problems).toHaveLength(1);
  const { hub: _, ...split } = diamond.splits["diamond"] as (typeof diamond.splits)[string];
  await expect(
    openSplit({ ...diamond, splits: { diamond: split } }, { folder: `${folder}/none` }),
  ).rejects.toMatchObject({
    code: "data_invalid",
    message: expect.stringContaining("deserted-untie-orchid") as string,
  });
});

test("a row without an answer is refused with file, row and key", async () => {
  const folder = await folderWith("gpqa_main.csv", header, rowOf(1), rowOf(2).replace("right 2", ""));
  await expect(openSplit(benchmarkNamed("gpqa"), { folder })).rejects.toThrow(/gpqa_main\.csv row 3: Correct Answer/u);
});
