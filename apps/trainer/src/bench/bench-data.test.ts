import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordingServer, type ServedRequest } from "../../test/recording-server.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { expectRefused, laconic } from "../../test/laconic.ts";

const bench = (...words: readonly string[]): ReturnType<typeof laconic> => laconic("bench", ...words);

const server = (): ReturnType<typeof recordingServer> =>
  recordingServer(({ messages }) => `#### ${/\[(.*?)\]/u.exec(textOf(messages))?.[1] ?? ""}`);

const textOf = (messages: ServedRequest["messages"]): string => messages.map(({ content }) => content).join("\n");

const csv =
  'capital,of\nParis,"Which city governs France, [Paris]?"\nRome,Which city governs Italy [Milan]?\n,nothing\n';

test("reads a custom question table and rejects changed bytes", async () => {
  const [folder, { url, served }] = [await temporaryFolder(), await server()];
  const [file, run] = [join(folder, "capitals.csv"), join(folder, "bench")];
  await writeFile(file, csv);
  const input = ["--data", file, "--grading", "text", "--columns", "question=of,gold=capital", "--run", run];
  const rest = ["--methods", "vanilla", "--model", "fake", "--base-url", url];
  await expectRefused(["bench", ...input, ...rest], "capitals.csv row 4: capital is empty");
  const { code, out, err } = await bench(...input, ...rest, "--lenient", "--json");
  expect([code, served.length]).toEqual([0, 2]);
  expect(err).toContain("capitals: 1 rows skipped; the first is");
  expect(textOf(served[0]?.messages ?? [])).toContain('End with a line "#### TEXT"');
  const { summaries } = JSON.parse(out) as { summaries: { benchmark: string; accuracy: { value: number } }[] };
  expect(summaries.map(({ benchmark, accuracy }) => [benchmark, accuracy.value])).toEqual([["capitals", 0.5]]);
  expect(await readFile(join(run, "report.md"), "utf8")).toContain("Questions: capitals 2 of 2.");
  expect((await bench("--resume", "--run", run)).code).toBe(0);
  expect(served).toHaveLength(2);
  await writeFile(file, csv.replace("Rome", "Milan"));
  await expectRefused(["bench", "--resume", "--run", run], "has changed since this bench was started");
});

test("plans without a model and requires one to ask questions", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "capitals.csv");
  await writeFile(file, "of,gold\nItaly,Rome\n");
  const input = ["--data", file, "--grading", "text", "--columns", "question=of", "--methods", "vanilla"];
  const { code, out } = await bench(...input, "--dry-run", "--json");
  expect([code, (JSON.parse(out) as { calls: number }).calls]).toEqual([0, 1]);
  await expectRefused(["bench", ...input, "--run", join(folder, "run")], "--model: missing");
});

const asking = ["--methods", "vanilla", "--model", "m"];

test.for([
  [[], "--benchmarks: missing, or --data"],
  [["--data", "a.csv"], "--grading is missing: numeric, letter, maths, code or text"],
  [["--data", "a.csv", "--grading", "number"], "--grading kind: expected numeric, letter"],
  [["--data", "a.csv", "--grading", "{"], "--grading is not JSON"],
  [["--data", "a.csv", "--grading", "text", "--columns", "answer"], '--columns "answer" is not NAME=COLUMN'],
  [["--data", "a.csv", "--grading", "text", "--columns", "answer=b"], "--columns unknown setting answer"],
  [["--data", "/no/such/a.csv", "--grading", "text"], "/no/such/a.csv: file not found"],
  [["--data", "gsm8k.jsonl", "--grading", "text"], "gsm8k is a benchmark's name"],
  [["--data", "a.csv", "--grading", "text", "--rows", "0"], "--rows it must be a number from 1 on, not 0"],
  [["--data", "a.csv", "--grading", "text", "--rows", "many"], "--rows"],
  [["--benchmarks", "gsm8k", "--rows", "3"], "--rows has no effect without --data"],
  [["--benchmarks", "gsm8k", "--grading", "text"], "--grading has no effect without --data"],
] as const)("rejects %j", async ([input, reason]) => {
  const { code, out, err } = await bench(...input, ...asking);
  expect([code > 0, out]).toEqual([true, ""]);
  expect(err).toContain(reason);
});
