import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import packageJson from "../package.json" with { type: "json" };
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { expectRefused, laconic, outputOf } from "../test/laconic.ts";
import { commandTable } from "./commands/table.ts";

const commands = Object.keys(commandTable).map((name) => name.split(" ")[0] as string);

test("without arguments, prints the usage on standard error and exits with code 2", async () => {
  const { code, out, err } = await laconic();
  expect([code, out]).toEqual([2, ""]);
  for (const name of commands) expect(err).toContain(name);
});

test("--help prints plain text on standard output and exits with code 0", async () => {
  const { code, out, err } = await laconic("--help");
  expect([code, err]).toEqual([0, ""]);
  for (const name of commands) expect(out).toContain(name);
  expect(out).not.toContain("\u001b");
  const train = await outputOf("train", "--help");
  for (const flag of ["--seed", "--device", "--run", "--resume", "--dry-run", "--json"]) expect(train).toContain(flag);
});

test("--version prints the package's version", async () => {
  for (const flag of ["--version", "-v"])
    expect(await laconic(flag)).toEqual({ code: 0, out: packageJson.version, err: "" });
});

test("help NAME equals NAME --help; help alone is the root's", async () => {
  expect(await laconic("help")).toEqual(await laconic("--help"));
  expect(await laconic("help", "data")).toEqual(await laconic("data", "--help"));
  const { code, out, err } = await laconic("help", "data", "ls");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("USAGE laconic data ls [OPTIONS]");
  expect((await laconic("help", "trian")).code).toBe(2);
});

test("arguments after -- are not options", async () => {
  await expectRefused(["verify", "--", "--help"], "--help has no run");
});

test("suggests the nearest command in two lines", async () => {
  expect(await laconic("trian", "preset:relay-quickstart")).toEqual({
    code: 2,
    out: "",
    err: "laconic: Unknown command trian; did you mean train?\nlaconic help lists the commands",
  });
  expect((await laconic("ls")).err).toContain("Unknown command ls; did you mean view ls?");
  expect((await laconic("data", "lss")).err).toContain("Unknown command lss; did you mean ls?");
  expect((await laconic("--json", "doctor")).err).toContain("write flags after the command: laconic doctor --json");
});

test("an error is an object on standard output with --json and keeps its exit code", async () => {
  const folder = await temporaryFolder();
  const cases = [
    [["trian", "--json"], "usage", "Unknown command trian; did you mean train?"],
    [["view", "report", "--json"], "usage", "RUN: missing; add it"],
    [["doctor", "--enable", "cuda", "--json"], "usage", "Invalid value for argument: --enable (cuda)"],
    [["doctor", "--josn", "--json"], "config_invalid", "unknown flag --josn; did you mean --json?"],
    [["view", "report", folder, "--json"], "run_missing", `${folder} has no run`],
    [["grade", folder, "--json"], "config_invalid", "cannot be read"],
  ] as const;
  for (const [words, code, message] of cases) {
    const said = await laconic(...words);
    const { error } = JSON.parse(said.out) as { error: { code: string; message: string } };
    expect([said.code, error.code]).toEqual([2, code]);
    expect(error.message).toContain(message);
    expect(said.err.split("\n").some((line) => line.startsWith(`laconic: `) && line.includes(message))).toBe(true);
  }
  const { out } = await laconic("view", "report", folder, "--json");
  expect(JSON.parse(out)).toMatchObject({ error: { detail: { directory: folder } } });
});

test.each([
  [["trian"], "trian"],
  [["relay", "shwo"], "shwo"],
  [["relay"], "command"],
  [["view", "report"], "RUN: missing"],
  [["eval"], "RUN: missing"],
  [["relay", "warm-start"], "out"],
  [["relay", "show", "--level", "ten-facts"], "one-fact"],
  [["doctor", "--enable", "cuda"], "--enable (cuda). Expected one of: tensorflow"],
  [["doctor", "--josn"], "unknown flag --josn; did you mean --json?"],
  [["quickstart", "--dryrun"], "unknown flag --dryrun; did you mean --dry-run?"],
  [["train", "preset:relay-quickstart", "--seed"], "--seed needs a value"],
  [["train", "preset:relay-quickstart", "--seed", "--dry-run"], "--seed needs a value"],
  [["quickstart", "steps"], `WORLD: unknown world "steps"`],
  [["train", import.meta.dirname], "is a folder; to resume a run: laconic train --resume DIR"],
  [["train", "preset:relay"], "preset relay not found"],
  [["sweep", "ablate", "preset:relay-quickstart", "--seeds", "none"], "--seeds is none"],
])("rejects %j and names the mistake", expectRefused);

test("a dry run prints the resolved configuration and starts nothing", async () => {
  const folder = join(await temporaryFolder(), "run");
  const words = ["preset:relay-quickstart", "--dry-run", "--run", folder, "--seed", "5", "--device", "wasm"];
  const { code, out, err } = await laconic("train", ...words, "train.steps=7");
  expect([code, err]).toEqual([0, ""]);
  const config = JSON.parse(out) as Record<string, Record<string, unknown>>;
  expect(config).toMatchObject({ device: "wasm", train: { steps: 7, seed: 5, minibatches: 2, groupBy: "prompt" } });
  expect(existsSync(folder)).toBe(false);
  const compact = await laconic("train", ...words, "--json", "train.steps=7");
  expect(compact.out).toBe(JSON.stringify(config));
});

test("without a configuration, uses run.config.ts of the working directory", async () => {
  const folder = await temporaryFolder();
  const home = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(home));
  expect((await laconic("train")).err).toContain("write a run.config.ts with: laconic init");
  await writeFile("run.config.ts", "export default { train: { steps: 7 } };");
  for (const [words, steps] of [
    [[], 7],
    [["train.steps=8"], 8],
  ] as const) {
    const { code, out } = await laconic("train", ...words, "--dry-run");
    expect([code, JSON.parse(out)]).toMatchObject([0, { train: { steps } }]);
  }
  expect((await laconic("train", "--resume", "--run", folder)).err).toContain("has no run");
});

test("reads JSON or TypeScript configurations and rejects other files by path", async () => {
  const folder = await temporaryFolder();
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  const json = await file("run.config.json", `{"workers":1,"train":{"steps":3}}`);
  const code = await file("run.config.ts", `const steps: number = 4;\nexport default { train: { steps } };\n`);
  const broken = await file("broken.json", `{"train":`);
  const dry = async (path: string): Promise<unknown> => JSON.parse((await laconic("train", path, "--dry-run")).out);
  expect(await dry(json)).toMatchObject({ workers: 1, train: { steps: 3 } });
  expect(await dry(code)).toMatchObject({ workers: "auto", train: { steps: 4 } });
  await expectRefused(["train", broken, "--dry-run"], `${broken} is not JSON`);
});

test("relay show prints a problem, the teacher's messages and the fewest tokens", async () => {
  const [first, again] = [await laconic("relay", "show", "--seed", "3"), await laconic("relay", "show", "--seed", "3")];
  expect(first).toEqual(again);
  expect(first.code).toBe(0);
  expect(first.out).toMatch(/^question .+, answer \d+\n/);
  expect(first.out).toMatch(/lower bound of the mean tokens per episode: [\d.]+$/);
});

test("grade prints one verdict per row, and agreement and bad rows on standard error", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "cases.jsonl");
  const rows = [
    { id: "a", kind: "maths", gold: "\\frac12", prediction: "It is $\\boxed{0.5}$.", verdict: true },
    { id: "b", kind: "letter", gold: "B", prediction: "The answer is (C).", verdict: true },
    { id: "c", kind: "letter", gold: null, prediction: "Option D" },
  ];
  await writeFile(file, `${rows.map((row) => JSON.stringify(row)).join("\n")}\n{"id":"d"}\n`);
  const { code, out, err } = await laconic("grade", file, "--json");
  expect(out.split("\n").map((line) => JSON.parse(line) as unknown)).toEqual([
    { id: "a", verdict: true, extracted: "0.5", rule: "boxed, exact number", certainty: "exact" },
    { id: "b", verdict: false, extracted: "C", rule: "after the answer trigger, same letter", certainty: "exact" },
    { id: "c", verdict: null, extracted: "D", rule: "the first word", certainty: "exact" },
  ]);
  expect(code).toBe(1);
  expect(err).toContain(`${file}:4: kind`);
  expect(err).toContain("maths: 1 of 1 labels agree (100.0 %), 0 false accepts, 0 false rejects");
  expect(err).toContain("letter: 0 of 1 labels agree");
  expect((await laconic("grade", join(folder, "none.jsonl"))).err).toContain("cannot be read");
});
