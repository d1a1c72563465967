import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { shortTraining, strangersFolder, wordsFile } from "../../test/strangers-folder.ts";
import { laconic, outputOf } from "../../test/laconic.ts";
import { sharedFolder } from "../../../../test/temporary-folder.ts";

const timeout = 120_000;

const heldFile = `
import { appendFileSync } from "node:fs";
import { defineTask } from "@laconic/tasks";
import { answerOf, graphTopology } from "@laconic/topologies";
import { digits } from "./words.ts";

const problems = Array.from({ length: 12 }, (_, i) => ({ id: "p" + i, question: i + "+1", gold: String(i + 1) }));

export function held(how) {
  let isOpen = true;
  const use = () => {
    if (!isOpen) throw new Error("used after it was closed");
  };
  return {
    ...defineTask({
      name: "held",
      topology: graphTopology({
        name: "one", rounds: 1, answer: answerOf("one"),
        agents: [{
          id: "one", role: "one", maxTokens: 2,
          prompt: ({ question }) => { use(); return { kind: "text", text: question }; },
        }],
      }),
      train: problems.slice(0, 8),
      testProblems: problems.slice(8),
      grader: (answer, { gold }) => { use(); return digits(answer ?? "") === gold ? 1 : 0; },
    }),
    async close() {
      use();
      isOpen = false;
      appendFileSync(new URL("./closed.txt", import.meta.url), how + "\\n");
    },
  };
}
export default held("value");
export const made = () => held("made");
`;
const configFile = `
import { defineRun } from "@laconic/cli";
import { held } from "./task.ts";
export default defineRun({ task: held("inline"), device: "wasm", workers: 1, train: ${shortTraining} });
`;

const folder = sharedFolder();
const at = (name: string): string => join(folder, name);
const closed = (): Promise<string> => readFile(at("closed.txt"), "utf8");

beforeAll(async () => {
  await strangersFolder(folder, {
    "task.ts": heldFile,
    "words.ts": wordsFile,
    "run.config.ts": configFile,
    "package.json": '{"type":"module"}',
    "run.json": JSON.stringify({
      device: "wasm",
      workers: 1,
      task: "./task.ts",
      train: {
        steps: 1,
        problemsPerStep: 2,
        episodesPerProblem: 2,
        minibatches: 1,
        problemPool: 8,
        evaluation: { every: 0, problems: 2, transcripts: 1 },
        checkpoint: { every: 1 },
      },
    }),
  });
});
beforeEach(() => writeFile(at("closed.txt"), ""));

test("a task value stays open for a whole command and closes once", { timeout }, async () => {
  const run = at("runs/inline");
  const json = at("run.json");
  const commands: readonly (readonly [words: readonly string[], closed: string])[] = [
    [["train", at("run.config.ts"), "--run", run], "inline\n"],
    [["train", "--resume", "--run", run, "train.steps=3"], "inline\n"],
    [["eval", run, "--limit", "2"], "inline\n"],
    [["analyze", run, "--limit", "2"], "inline\n"],
    [["analyze", "rescore", run, "--regrade"], "inline\n"],
    [["train", json, "--run", at("runs/value")], "value\n"],
    [["plan", json, "--tflops", "1"], "value\n"],
    [["sweep", json, "train.problemsPerStep=1,2", "--out", at("sweep")], "value\n"],
    [
      ["sweep", "ablate", json, "--seeds", "1", "--variants", "base", "short:train.steps=2", "--out", at("ablation")],
      "value\n",
    ],
  ];
  for (const [words, expected] of commands) {
    await writeFile(at("closed.txt"), "");
    const { code, err } = await laconic(...words);
    expect([words[0], code], err).toEqual([words[0], 0]);
    expect([words[0], await closed()]).toEqual([words[0], expected]);
    expect(err).not.toContain("could not be closed");
  }
});

test("a task factory runs once and its task closes once", { timeout }, async () => {
  const words = [`task=${at("task.ts#made")}`, "--run", at("runs/made")];
  await outputOf("train", at("run.json"), ...words);
  expect(await closed()).toBe("made\n");
});

test("a rejected command also closes its values", { timeout }, async () => {
  const { code } = await laconic("train", at("run.json"), "train.groupBy=tree-node", "policies=own", "bases.no=x");
  expect(code).toBe(2);
  const refused = await laconic("train", at("run.json"), "train.policies.nobody.prices.tokens=1", "--run", at("never"));
  expect([refused.code, await closed()]).toEqual([2, "value\n"]);
});
