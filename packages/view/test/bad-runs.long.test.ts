import { appendFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { gzipMember } from "@laconic/core/run-folder";
import { openViewer, type RunDetail, type RunSummary, type Viewer } from "@laconic/view";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { settings, smallRun, somePages } from "./small-runs.ts";

const deepList = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
const deepObject = (depth: number): string => '{"a":'.repeat(depth) + "1" + "}".repeat(depth);
/** Shallow, yet parsed it takes more memory than the reader has. */
const vast = (): string => `{"step":1,"a":[${"[],".repeat(20_000_000)}0]}\n`;

type Spoil = (folder: string) => Promise<unknown>;
const spoiling =
  (put: (path: string, data: string | Uint8Array) => Promise<void>) =>
  (file: string, text: () => string | Uint8Array): Spoil =>
  (folder) =>
    put(join(folder, file), text());
const [written, added] = [spoiling(writeFile), spoiling(appendFile)];
const member = (content: string): Uint8Array =>
  gzipMember(gzipSync(content), { step: 9, kind: "step", version: 2, isComplete: true });

const spoilt: Readonly<Record<string, Spoil>> = {
  "a configuration of nested lists": written("config.json", () => deepList(20_000)),
  "a configuration of nested objects": written("config.json", () => deepObject(20_000)),
  "one of nested lists below its settings": written("config.json", () => `{"train":{"steps":4},"a":${deepList(4000)}}`),
  "one of nested objects below its settings": written(
    "config.json",
    () => `{"train":{"steps":4},"a":${deepObject(1000)}}`,
  ),
  "one of 8 MB of brackets": written("config.json", () => deepList(4 << 20)),
  "a nested environment": written("environment.json", () => deepList(5000)),
  "a nested lock": written("LOCK", () => deepObject(20_000)),
  "a nested row of metrics": added("metrics.jsonl", () => `{"step":5,"a":${deepObject(20_000)}}\n`),
  "a nested evaluation": added("evaluations.jsonl", () => `{"step":5,"silence":${deepObject(20_000)}}\n`),
  "a nested warning": added("warnings.jsonl", () => `{"message":${deepList(20_000)}}\n`),
  "a nested record": added("episodes.jsonl.gz", () => member(`{"episodes":${deepList(20_000)},"utterances":[]}`)),
  "a row of metrics that takes all memory": added("metrics.jsonl", vast),
};

async function get<T>(viewer: Viewer, path: string): Promise<T> {
  const response = await viewer.handle(new Request(`http://localhost${path}`, { headers: { host: "localhost" } }));
  const body: unknown = await response.json();
  expect([path, response.status, response.status === 200 ? null : body]).toEqual([path, 200, null]);
  return body as T;
}

test.each(Object.entries(spoilt))("the list remains next to %s and shows good runs, also live", async (_, spoil) => {
  const folder = await temporaryFolder();
  const runs = join(folder, "runs");
  await smallRun(join(runs, "good"), { settings: { ...settings, steps: 2 } });
  for (const name of ["bad", "other"]) await cp(join(runs, "good"), join(runs, name), { recursive: true });
  const viewer = await openViewer({ folders: [runs], pages: await somePages(join(folder, "pages")) });
  onTestFinished(() => viewer.close());
  const list = (): Promise<RunSummary[]> => get(viewer, "/api/runs");
  const states = async (): Promise<unknown> => (await list()).map(({ name, state }) => `${name} ${state}`).toSorted();
  expect(await states()).toEqual(["bad done", "good done", "other done"]);
  const events = await viewer.handle(new Request("http://localhost/api/events", { headers: { host: "localhost" } }));
  onTestFinished(() => events.body?.cancel());
  await spoil(join(runs, "bad"));
  for (const { id, name } of await list()) {
    const detail = await get<RunDetail>(viewer, `/api/runs/${id}`);
    expect([detail.summary.name, detail.summary.state === "done" || name === "bad"]).toEqual([name, true]);
    await get(viewer, `/api/runs/${id}/episodes?limit=50`);
  }
  await mkdir(join(runs, "late"));
  await cp(join(runs, "good"), join(runs, "late"), { recursive: true });
  const after = await list();
  expect(after.map(({ name }) => name).toSorted()).toEqual(["bad", "good", "late", "other"]);
  const good = after.filter(({ name }) => name !== "bad");
  expect(good.map(({ state, step }) => [state, step])).toEqual(good.map(() => ["done", 2]));
  const bad = after.find(({ name }) => name === "bad") as RunSummary;
  const { warnings } = await get<RunDetail>(viewer, `/api/runs/${bad.id}`);
  expect([bad.reason, ...warnings].join("\n")).toMatch(/\.jsonl?|LOCK/u);
  expect(JSON.parse(await readFile(join(runs, "good/config.json"), "utf8"))).toBeTypeOf("object");
});
