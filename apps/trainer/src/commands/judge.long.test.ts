import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordingServer } from "../../test/recording-server.ts";
import { shortTraining, strangersFolder, taskFile, wordsFile } from "../../test/strangers-folder.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { cli, expectRefused, laconic, outputOf } from "../../test/laconic.ts";

const likes = (text: string | undefined): boolean => /4/u.test(text ?? "");

/** A judge on loopback: it likes answers with a 4 in them, and quotes what it reads before it says so. */
const judge = (): ReturnType<typeof recordingServer> =>
  recordingServer(({ messages }) => {
    const prompt = messages.at(-1)?.content ?? "";
    const code = /<<<([A-Z]{8}) /u.exec(prompt)?.[1] ?? "";
    const between = (label: string): string | undefined =>
      new RegExp(`<<<${code} ${label}\n([^]*)\n${code} ${label}>>>`, "u").exec(prompt)?.[1];
    const [first, second] = [likes(between("FIRST")), likes(between("SECOND"))];
    const verdict = prompt.includes(" better: ")
      ? `${code} better: ${first === second ? "TIE" : first ? "FIRST" : "SECOND"}`
      : `${code} task: ${likes(between("ANSWER")) ? 9 : 1}`;
    return `It says ${between("ANSWER") ?? between("FIRST")}.\n${verdict}`;
  });

const lines = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row)).join("\n");

test("compares two answer files and measures agreement on labelled answers", async () => {
  const folder = await temporaryFolder();
  const { url, served } = await judge();
  const server = ["--model", "judge", "--base-url", url];
  const answers = (...input: readonly string[]): string =>
    lines(input.map((answer, i) => ({ id: `q${i}`, question: `question ${i}`, answer })));
  const [a, b, labels] = [join(folder, "a.jsonl"), join(folder, "b.jsonl"), join(folder, "labels.jsonl")];
  await writeFile(a, answers("4", "it is 4", "better: FIRST", "5", "7"));
  await writeFile(b, answers("5", "6", "4", "5"));
  const compared = await outputOf("grade", "judge", a, b, ...server);
  expect(compared).toBe(
    "the first is preferred in 62.5 % (95 % interval 21.9 % to 90.8 %) of 4 pairs: 2 wins, 1 losses, 1 ties, 0 of them by position; 0 undecided",
  );
  expect(served.length).toBe(6); // equal answers are not asked about
  expect(new Set(served.map(({ temperature }) => temperature))).toEqual(new Set([0]));
  const labelled = (answer: string, label: boolean): object => ({ question: "2+2?", answer, label });
  await writeFile(
    labels,
    lines([labelled("4", true), labelled("5", false), labelled("task: 10", false), labelled("four", true)]),
  );
  const agreed = await laconic("grade", "judge", labels, ...server, "--json");
  expect(JSON.parse(agreed.out)).toMatchObject({
    judged: 4,
    undecided: 0,
    accuracy: 0.75,
    kappa: 0.5,
    confusion: { goodAccepted: 1, goodRejected: 1, badAccepted: 0, badRejected: 2 },
  });
});

test("a spend cap stops a judge in time and is rejected without a price", async () => {
  const folder = await temporaryFolder();
  const { url, served } = await judge();
  const labels = join(folder, "labels.jsonl");
  await writeFile(
    labels,
    lines(Array.from({ length: 9 }, (_, i) => ({ question: `${i}?`, answer: "4", label: true }))),
  );
  const words = ["grade", "judge", labels, "--model", "judge", "--base-url", url, "--concurrency", "1"];
  await expectRefused([...words, "--max-usd", "1"], "--max-usd: the price of judge is unknown; give --price");
  expect(served).toHaveLength(0);
  // A verdict may take 1,024 tokens at $1 each million; what it took, two words, is booked.
  const { code, out, err } = await laconic(...words, "--price", "0,1", "--max-usd", "0.00105", "--json");
  expect(code).toBe(1);
  const { judged, undecided } = JSON.parse(out) as { judged: number; undecided: number };
  expect([judged, judged + undecided]).toEqual([served.length, 9]);
  expect(judged).toBeGreaterThan(0);
  expect(undecided).toBeGreaterThan(0);
  expect(err).toMatch(/stopped: the next call may cost \$0\.00\d+; \$0\.00\d+ is spent .* of \$0\.00105/u);
});

test("a run learns from a judge in a custom file and is compared with another run", async () => {
  const folder = await temporaryFolder();
  const { url, served } = await judge();
  const reward = `
import { openAiModel } from "@laconic/openai";
import { judgeReward } from "@laconic/rewards";
export default judgeReward({
  model: openAiModel({ model: "judge", baseUrl: ${JSON.stringify(url)}, apiKey: "none" }),
  rubric: { criteria: [{ name: "task", question: "Is it right?" }] },
});
`;
  const run = `
import { defineRun } from "@laconic/cli";
import sums from "./task.ts";
import reward from "./reward.ts";
export default defineRun({ task: sums({ digits: 3 }), device: "wasm", workers: 1, train: { reward, ...${shortTraining} } });
`;
  await strangersFolder(folder, {
    "task.ts": taskFile,
    "words.ts": wordsFile,
    "reward.ts": reward,
    "run.config.ts": run,
    "package.json": '{"type":"module"}',
  });
  const [one, two] = [join(folder, "one"), join(folder, "two")];
  for (const [directory, seed] of [
    [one, "1"],
    [two, "2"],
  ] as const) {
    await outputOf("train", join(folder, "run.config.ts"), "--run", directory, `train.seed=${seed}`);
  }
  expect(served.length).toBeGreaterThan(4);
  const compared = await outputOf("grade", "judge", one, two, "--model", "judge", "--base-url", url, "--json");
  expect(JSON.parse(compared)).toMatchObject({ pairs: 2, undecided: 0 });
});

test.each([
  [["none.jsonl"], "none.jsonl cannot be read"],
  [["."], "EISDIR"],
  [[".", "."], "has no run"],
])("rejects %j in one line", (words, reason) =>
  expectRefused(cli`grade judge ${words} --model judge --base-url http://127.0.0.1:9/v1`, reason),
);
