import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openRun } from "@laconic/trainer";
import { afterEach, expect, test } from "vitest";
import { historyLines, serverHistory } from "./open-fleet.ts";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});
const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "laconic-servers-"));
  folders.push(folder);
  return folder;
};

test("changes of servers are kept each time, with the steps done by then, beside other warnings", async () => {
  const directory = await newFolder();
  const said: string[] = [];
  const run = await openRun({
    directory,
    config: { train: { steps: 9 } },
    environment: {},
    now: () => 0,
    keepCheckpoints: 1,
    observer: { warning: (message) => void said.push(message) },
  });
  const out = { server: "http://a", state: "quarantined", reason: "http://a: wrong tokens" } as const;
  const back = { server: "http://a", state: "up", reason: "http://a: has passed a probe" } as const;
  await run.warnOfServer("out", out);
  await run.warn("a trap", 1);
  await run.step({ step: 1 }, run.clock());
  await run.warnOfServer("back", back);
  await run.step({ step: 2 }, run.clock());
  await run.warnOfServer("out", out);
  await run.close();
  expect(said).toEqual(["out", "a trap", "back", "out"]);
  const changes = await serverHistory(directory);
  expect(changes).toMatchObject([
    { ...out, step: 0 },
    { ...back, step: 1 },
    { ...out, step: 2 },
  ]);
  expect(changes.every(({ time }) => new Date(time).toISOString() === time)).toBe(true);
});

test("lines say when, after which step, why, and how long a server was out", () => {
  const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`;
  const server = "http://a";
  const lines = historyLines([
    { server, state: "quarantined", reason: "http://a: wrong tokens", step: 3, time: at(0) },
    { server: "http://b", state: "quarantined", reason: "http://b: slow", step: 3, time: at(9) },
    { server, state: "up", reason: "http://a: has passed a probe", step: 4, time: at(17) },
  ]);
  expect(lines).toEqual([
    `${at(0)}, after step 3: quarantined http://a: wrong tokens`,
    `${at(9)}, after step 3: quarantined http://b: slow`,
    `${at(17)}, after step 4: back        http://a: passed a probe after 17 s`,
  ]);
});

test("a folder that holds no run is refused, and rows of other shapes are no changes", async () => {
  const directory = await newFolder();
  await expect(serverHistory(directory)).rejects.toMatchObject({ code: "run_missing" });
  await writeFile(join(directory, "config.json"), "{}");
  await writeFile(join(directory, "warnings.jsonl"), '{"message":"m","step":1}\n{"message":"n","server":3}\n');
  expect(await serverHistory(directory)).toEqual([]);
});
