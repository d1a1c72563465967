import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { expectRefused, laconic, type CommandOutput } from "../../test/laconic.ts";

const data = (...words: readonly string[]): Promise<CommandOutput> => laconic("data", ...words);

const rows = [
  { question: "Ann has 2 pens.\u001b[2J Bob has 3. How many in all?", answer: "5\n#### 5" },
  { question: "broken", answer: "none" },
];

async function folderWith(train: readonly object[] = []): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "gsm8k"));
  const lines = (group: readonly object[]): string => group.map((row) => JSON.stringify(row)).join("\n");
  await writeFile(join(folder, "gsm8k/test.jsonl"), lines(rows));
  if (train.length > 0) await writeFile(join(folder, "gsm8k/train.jsonl"), lines(train));
  return folder;
}

test("ls lists known benchmarks and local files", async () => {
  const folder = await folderWith();
  const { code, out } = await data("ls", "--folder", folder, "--json");
  expect(code).toBe(0);
  const { splits } = JSON.parse(out) as { splits: { benchmark: string; split: string; here: boolean }[] };
  // The problems of steps are generated.
  const files = splits.filter(({ benchmark, here }) => here && benchmark !== "steps");
  expect(files).toMatchObject([{ benchmark: "gsm8k", split: "test", problems: 1319 }]);
  expect((await data("ls", "--folder", folder)).out).toMatch(/^here {2}gsm8k test +1319 {2}MIT$/m);
});

test("rejects a changed file unless allowed, and lists bad rows", async () => {
  const folder = await folderWith();
  await expectRefused(["data", "get", "gsm8k", "--folder", folder], "is not the GSM8K that is known");
  const lenient = ["--folder", folder, "--lenient", "--allow-changed"];
  const { code, out, err } = await data("get", "gsm8k", ...lenient);
  expect([code, out.split("\n")[0]]).toEqual([0, "gsm8k test: 1 problems"]);
  expect(err).toMatch(/skipped: .*test\.jsonl row 2: answer does not end with "#### " and a number/);
});

test("show prints problems, optionally dealt to agents, without control characters", async () => {
  const folder = await folderWith();
  const words = ["show", "gsm8k", "--folder", folder, "--lenient", "--allow-changed"];
  const { out } = await data(...words, "--agents", "2");
  expect(out).toContain("# gsm8k/test/0\nHow many in all?\n");
  expect(out).toContain("] Ann has 2 pens.\n");
  expect(out).toContain("gold (numeric): 5");
  expect(out).not.toContain("\u001b");
  expect(JSON.parse((await data(...words, "--json")).out)).toMatchObject({ gold: "5" });
  expect((await data(...words, "--limit", "2")).err).toContain("expected a whole number from 1 to 1");
  expect((await data(...words, "--agents", "none")).err).toContain("--agents is none");
});

test("show deals options to holders and counts problems it cannot deal", async () => {
  const folder = await folderWith();
  await mkdir(join(folder, "aqua"));
  const options = ["A)1", "B)2", "C)3", "D)4", "E)5"];
  const lines = ["Ann has 2 pens. Bob has 3. How many in all?", "What is 2 + 3?"].map((question) =>
    JSON.stringify({ question, options, correct: "E" }),
  );
  await writeFile(join(folder, "aqua/test.json"), lines.join("\n"));
  const flags = ["--folder", folder, "--lenient", "--allow-changed", "--limit", "2"];
  const whole = await data("show", "aqua", ...flags);
  expect(whole.out).toContain("What is 2 + 3?\nA) 1\nB) 2\nC) 3\nD) 4\nE) 5\ngold");
  const { out } = await data("show", "aqua", ...flags, "--limit", "1", "--agents", "2");
  expect(out).toContain("How many in all?\n[agent-1] ");
  expect(out.match(/[A-E]\) \d$/gmu)?.toSorted()).toEqual(["A) 1", "B) 2", "C) 3", "D) 4", "E) 5"]);
  const plain = [rows[0], { question: "What is 2 + 3?", answer: "5\n#### 5" }];
  await writeFile(join(folder, "gsm8k/test.jsonl"), plain.map((row) => JSON.stringify(row)).join("\n"));
  const { err } = await data("show", "gsm8k", ...flags, "--agents", "2");
  expect(err).toContain("skipped: 1 of 2 problems, which state fewer than two facts");
});

test("check finds examples that give test questions away", async () => {
  const { code, out } = await data("check", "gsm8k", "--folder", await folderWith([rows[0] as object]));
  expect(code).toBe(1);
  expect(out).toMatch(/gsm8k train: 1 problems[^]*gsm8k\/train\/0 is gsm8k\/test\/0/);
  const empty = await data("check", "svamp", "--folder", tmpdir());
  expect([empty.code, empty.err]).toEqual([1, expect.stringContaining("laconic data get NAME") as string]);
});

test("check names an unreadable file and still checks the others", async () => {
  const folder = await folderWith();
  await mkdir(join(folder, "svamp"));
  await writeFile(join(folder, "svamp/SVAMP.json"), '[{"ID": "chal-1",');
  const { code, out } = await data("check", "--folder", folder);
  expect(code).toBe(1);
  expect(out).toMatch(/^problem {2}svamp \w+: 0 problems\n {9}.*SVAMP\.json: not JSON/mu);
  expect(out).toMatch(/gsm8k test: 1 problems/u);
});

test("offline, a missing file is an error that names the searched places", async () => {
  const { code, err } = await data("get", "svamp", "--folder", await folderWith(), "--offline");
  expect([code, err]).toEqual([2, expect.stringContaining("holds none of svamp/SVAMP.json") as string]);
  expect((await data("get", "gsm9k")).err).toContain("unknown benchmark gsm9k");
});
