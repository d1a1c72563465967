import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { shortTraining, strangersFolder, taskFile, wordsFile } from "../../test/strangers-folder.ts";
import { laconic } from "../../test/laconic.ts";

const timeout = 120_000;

/** Mistakes of one's own, each as an export. */
const mistakesFile = `
import { gspo } from "@laconic/gspo";
import sums from "./task.ts";
const inner = gspo({});
export const short = ({ rewards }) => [...rewards].slice(1);
export const later = async ({ rewards }) => rewards.map(() => NaN);
export const bare = { ...inner, name: "bare", evaluate: (input) => ({ ...inner.evaluate(input), diagnostics: undefined }) };
export const stranger = () => ({ team: { task: 1 }, agents: { frist: { brief: 1 } } });
const team = sums({});
export const silent = { ...team, topology: { ...team.topology, run: async () => "42" } };
`;

let folder = "";
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "laconic-mistakes-"));
  await strangersFolder(folder, {
    "task.ts": taskFile,
    "words.ts": wordsFile,
    "mistakes.ts": mistakesFile,
    "package.json": '{"type":"module"}',
    "run.config.ts": `
import { defineRun } from "@laconic/cli";
import sums from "./task.ts";
export default defineRun({ task: sums({}), device: "wasm", workers: 1, train: ${shortTraining} });
`,
  });
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ["train.advantage", "short", "step 1: the estimator short gave "],
  ["train.advantage", "later", "step 1: the estimator later gave "],
  ["train.objective", "bare", "step 1: the objective bare gave undefined as diagnostics"],
  ["train.reward", "stranger", 'the agent "frist", and the team has first, second; did you mean first?'],
  ["task", "silent", 'evaluation at step 0: the topology first-second: run gave "42"'],
])("reports a mistake in %s with file and step, without a stack: %s", { timeout }, async (key, name, said) => {
  const file = `${at("mistakes.ts")}#${name}`;
  const { code, err } = await laconic("train", at("run.config.ts"), `${key}=${file}`, "--run", at(`runs/${name}`));
  expect(code).toBe(1);
  expect(err).toContain(said);
  expect(err).toContain(`(${key} is ${file})`);
  expect(err).not.toMatch(/TypeError|\n\s+at /u);
});
