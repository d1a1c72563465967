import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { shortTraining, strangersFolder, taskFile, wordsFile } from "../../test/strangers-folder.ts";
import { laconic } from "../../test/laconic.ts";
import { sharedFolder } from "../../../../test/temporary-folder.ts";

const timeout = 120_000;

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

const folder = sharedFolder();
const at = (name: string): string => join(folder, name);

beforeAll(async () => {
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

test.each([
  ["train.advantage", "short", "step 1: the estimator short gave "],
  ["train.advantage", "later", "step 1: the estimator later gave "],
  ["train.objective", "bare", "step 1: the objective bare gave undefined as diagnostics"],
  ["train.reward", "stranger", 'the unknown agent "frist"; did you mean first?'],
  ["task", "silent", 'evaluation at step 0: the topology first-second: run gave "42"'],
])("reports a mistake in %s with file and step, without a stack: %s", { timeout }, async (key, name, reply) => {
  const file = `${at("mistakes.ts")}#${name}`;
  const { code, err } = await laconic("train", at("run.config.ts"), `${key}=${file}`, "--run", at(`runs/${name}`));
  expect(code).toBe(1);
  expect(err).toContain(reply);
  expect(err).toContain(`(${key} is ${file})`);
  expect(err).not.toMatch(/TypeError|\n\s+at /u);
});
