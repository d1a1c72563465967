import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { memoryFileSystem } from "../packages/core/src/files/index.ts";
import { createKernels } from "../packages/engine/src/wasm/index.ts";
import { beforeAll, expect, test } from "vitest";
import { verifyRun, type Contradiction } from "../packages/verify/src/index.ts";
import { recordingTerminal } from "../apps/trainer/test/recording-terminal.ts";
import { main } from "../apps/trainer/src/main.ts";
import { copyOfRun, editJson, editLines } from "../apps/trainer/test/edited-run.ts";
import { runIn } from "../packages/view/test/fixture/exported-run.ts";
import type { WorkerMessage } from "../packages/view/web/playground/worker/messages.ts";
import { policyFolder, relayWorld } from "../packages/view/web/playground/worker/relay-world.ts";
import { Session } from "../packages/view/web/playground/worker/session.ts";
import { firstSettings } from "../packages/view/web/playground/worker/settings.ts";
import { openTeam } from "../packages/view/web/playground/worker/team.ts";
import { sharedFolder } from "./temporary-folder.ts";

const policy = new URL("../packages/runtime/assets/relay-one-fact/", import.meta.url);

const folder = sharedFolder();
/** What a visitor took away who moved both sliders while the team trained. */
let steered = "";

beforeAll(async () => {
  steered = join(folder, "run");
  const files = memoryFileSystem();
  for (const name of ["config.json", "model.safetensors"])
    await files.write(`${policyFolder}/${name}`, await readFile(new URL(name, policy)));
  const team = await openTeam(await createKernels(undefined), files, relayWorld());
  const replies: WorkerMessage[] = [];
  const session = new Session(
    { team, files, environment: {}, now: () => 0, say: (workerMessage) => void replies.push(workerMessage) },
    { ...firstSettings("relay"), steps: 40, steering: { kind: "budget", targetTokens: 30 } },
  );
  // Past the three steps of measuring, so that the budget charges; then a price, then another budget.
  await session.train(5);
  await session.adjust({ steering: { kind: "price", price: 0.004 } });
  await session.train(2);
  await session.adjust({ steering: { kind: "budget", targetTokens: 10 } });
  await session.train(5);
  await session.adjust({ steering: { kind: "budget", targetTokens: 20 }, steps: 14 });
  await session.train(1);
  await session.exportRun();
  await team.close();
  const { archive } = replies.findLast((workerMessage) => workerMessage.type === "exported") ?? expect.fail();
  for (const [path, data] of runIn(archive)) {
    await mkdir(dirname(join(steered, path)), { recursive: true });
    await writeFile(join(steered, path), data);
  }
});

const contradictionsOf = async (run: string): Promise<readonly Contradiction[]> =>
  (await verifyRun(run)).contradictions;

test("a run with changed settings agrees with its folder", async () => {
  const rows = (await readFile(join(steered, "changes.jsonl"), "utf8")).trim().split("\n");
  expect(rows.map((row) => (JSON.parse(row) as { step: number; key: string }).key)).toEqual([
    "train.budget",
    "train.prices",
    "train.budget",
    "train.prices",
    ...["train.budget", "train.steps"].toSorted(),
  ]);
  expect(await contradictionsOf(steered)).toEqual([]);
});

test("the command line resumes it with the last settings and extends it", async () => {
  const run = await copyOfRun(steered);
  const terminal = recordingTerminal();
  const words = ["train", "--resume", "--run", run, "train.steps=15"];
  expect(await main(words, { terminal }), terminal.err.join("\n")).toBe(0);
  const rows = (await readFile(join(run, "changes.jsonl"), "utf8")).trim().split("\n");
  expect(JSON.parse(rows.at(-1) as string)).toEqual({ step: 14, key: "train.steps", before: 14, now: 15 });
  expect(await contradictionsOf(run)).toEqual([]);
});

test.each<readonly [string, (run: string) => Promise<void>, Partial<Contradiction>]>([
  [
    "a budget that never held, at the end",
    (run) => editJson(join(run, "config.json"), ({ train }) => (train.budget.targetTokens = 25)),
    { stage: "files", key: "manifest.json: settings" },
  ],
  [
    "another price than the one that was charged",
    (run) =>
      editLines(
        run,
        "changes.jsonl",
        (row) => void (row.key === "train.prices" && row.step === 8 && (row.before.tokens = 0.003)),
      ),
    { step: 6, stage: "price", key: "λ of tokens", expected: 0.003, found: 0.004 },
  ],
  [
    "a change that came a step later",
    (run) => editLines(run, "changes.jsonl", (row) => void (row.step === 6 && (row.step = 7))),
    { step: 6, stage: "price", key: "λ of tokens", found: 0.004 },
  ],
  [
    "a change that is gone",
    (run) => editLines(run, "changes.jsonl", ({ step }) => (step === 13 ? false : undefined)),
    { stage: "files", key: "manifest.json: run" },
  ],
])("finds %s", async (_, plant, match) => {
  const run = await copyOfRun(steered);
  await plant(run);
  expect(await contradictionsOf(run)).toContainEqual(expect.objectContaining(match));
});

test.each([
  ["no JSON", "{\n", "line 1 is not a setting change"],
  ["a key of every object", '{"step":1,"key":"train.__proto__.x","now":1}\n', "line 1 is not a setting change"],
  ["a step of the past", '{"step":3,"key":"a"}\n{"step":2,"key":"a"}\n', "line 2 is not a setting change"],
])("rejects %s as the changes with file and line", async (_, text, reply) => {
  const run = await copyOfRun(steered);
  await writeFile(join(run, "changes.jsonl"), text);
  await expect(contradictionsOf(run)).rejects.toFailWith("config_invalid", reply);
});
