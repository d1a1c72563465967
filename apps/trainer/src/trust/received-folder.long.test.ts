import { appendFile, cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { benchFiles } from "@laconic/core/run-folder";
import { forgetModules } from "@laconic/runtime/resolver";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { cli, expectRefused, laconic, outputOf } from "../../test/laconic.ts";
import { recordingServer, type ServedRequest } from "../../test/recording-server.ts";
import { rewardFile, shortTraining, strangersFolder, taskFile, wordsFile } from "../../test/strangers-folder.ts";
import { sumsCsv, writeSums } from "../../test/sums.ts";
import { sharedFolder } from "../../../../test/temporary-folder.ts";

const canary = `(globalThis as { ran?: number }).ran = 1;\n`;
const hasRun = (): boolean => (globalThis as { ran?: number }).ran !== undefined;

const runFile = `
import { defineRun } from "@laconic/cli";
import sums from "./task.ts";
import reward from "./reward.ts";
export default defineRun({ task: sums({ digits: 2 }), device: "wasm", workers: 1, train: { reward, ...${shortTraining} } });
`;

const folder = sharedFolder();
let run = "";
let plain = "";
let questions = "";

beforeAll(async () => {
  run = join(folder, "runs", "mine");
  plain = join(folder, "runs", "plain");
  questions = join(folder, "questions.csv");
  vi.stubEnv("XDG_STATE_HOME", join(folder, "here"));
  await strangersFolder(folder, {
    "task.ts": `${canary}${taskFile}`,
    "words.ts": wordsFile,
    "reward.ts": rewardFile,
    "run.config.ts": runFile,
    "package.json": '{"type":"module"}',
    "questions.csv": sumsCsv(),
  });
  const short = ["train.steps=1", "train.evaluation.every=0", "train.evaluation.problems=2", "device=wasm"];
  for (const words of [
    [join(folder, "run.config.ts"), "--run", run],
    ["preset:relay-quickstart", "--run", plain, ...short],
  ]) {
    const { code, err } = await laconic("train", ...words);
    if (code !== 0) throw new Error(err);
  }
  vi.unstubAllEnvs();
});
afterEach(() => void vi.unstubAllEnvs());

const elsewhere = (): void => void vi.stubEnv("XDG_STATE_HOME", join(folder, "elsewhere"));
const here = (): void => void vi.stubEnv("XDG_STATE_HOME", join(folder, "here"));

describe("a run with code", () => {
  beforeEach(() => {
    forgetModules();
    delete (globalThis as { ran?: number }).ran;
  });

  const opened = (): Record<string, readonly string[]> => ({
    eval: ["eval", run, "--limit", "1"],
    "eval --actor RUN": ["eval", plain, "--actor", run],
    "eval --sources current": ["eval", run, "--limit", "1", "--sources", "current"],
    analyze: ["analyze", run, "--limit", "1"],
    probe: ["analyze", "probe", run, "--limit", "1"],
    serve: ["serve", run, "--port", "0"],
    "rescore --regrade": ["analyze", "rescore", run, "--regrade"],
    "train --resume": ["train", "--resume", run, "train.steps=3"],
    "bench NAME=RUN": cli`bench --methods t=${run} --data ${questions} --grading numeric --model m --dry-run`,
    "bench --tasks": ["bench", "--methods", `t=${run}`, "--tasks", "runs", "--run", join(folder, "bench")],
    "train against RUN": cli`train preset:relay-quickstart --run ${join(folder, "other")}
      train.opponents={"runs":[${JSON.stringify(run)}],"sides":[["holder-a"],["solver"]]}`,
  });

  test("is not opened by any command if another machine made it", async () => {
    elsewhere();
    for (const [name, words] of Object.entries(opened())) {
      const { code, err } = await laconic(...words);
      expect([name, code, err]).toEqual([
        name,
        2,
        expect.stringMatching(/was not made on this machine.*run\.config\.ts.*--trust/u),
      ]);
    }
    expect(hasRun()).toBe(false);
  });

  test("is opened only with --trust on each call", async () => {
    elsewhere();
    expect(await laconic("eval", run, "--limit", "1", "--trust")).toMatchObject({ code: 0 });
    expect(hasRun()).toBe(true);
    await outputOf("analyze", "rescore", run, "--regrade", "--trust");
    expect((await laconic("eval", run, "--limit", "1")).err).toContain("--trust");
    const copy = join(folder, "runs", "continued");
    await cp(run, copy, { recursive: true });
    await outputOf("train", "--resume", copy, "train.steps=3", "--trust");
    expect((await laconic("eval", copy, "--limit", "1")).err).toContain("--trust");
  });

  test("is trusted on the machine that made it, also renamed or extended", async () => {
    here();
    const moved = `${run}-moved`;
    await rename(run, moved);
    await outputOf("eval", moved, "--limit", "1");
    await outputOf("train", "--resume", moved, "train.steps=4");
    await outputOf("eval", moved, "--limit", "1");
    await rename(moved, run);
    await outputOf("eval", run, "--limit", "1");
  });

  test("is untrusted after a copy or with changed settings or sources", async () => {
    here();
    const refused = async (of: string): Promise<void> => {
      const { code, err } = await laconic("eval", of, "--limit", "1");
      expect([code, err]).toEqual([2, expect.stringMatching(/--trust|SHA-256|restore it/u)]);
      expect(hasRun()).toBe(false);
    };
    const copy = join(folder, "runs", "copy");
    await cp(run, copy, { recursive: true });
    await refused(copy);
    // The manifest agrees with itself, as whoever forges it can see to.
    const manifest = join(run, "manifest.json");
    const before = await readFile(manifest, "utf8");
    const inputs = before.replace(/("source: [^"]*task\.ts": ")([0-9a-f]{64})/u, `$1${"0".repeat(64)}`);
    expect(inputs).not.toBe(before);
    await writeFile(manifest, inputs);
    await refused(run);
    await writeFile(manifest, before);
    const task = join(folder, "task.ts");
    const source = await readFile(task, "utf8");
    await appendFile(task, "\n// edited\n");
    await rm(join(run, "sources"), { recursive: true, force: true });
    await refused(run);
    await writeFile(task, source);
  });

  test("ignores a home folder without write permission", async () => {
    await writeFile(join(folder, "file"), "");
    vi.stubEnv("XDG_STATE_HOME", join(folder, "file"));
    const homeless = join(folder, "runs", "homeless");
    const trained = await laconic("train", join(folder, "run.config.ts"), "--run", homeless);
    expect(trained).toMatchObject({ code: 0, err: expect.stringContaining("cannot record") });
    expect((await laconic("eval", homeless, "--limit", "1")).err).toContain("--trust");
    await outputOf("train", join(folder, "run.config.ts"), "--run", homeless, "--resume");
  });

  test("named values alone always open", async () => {
    elsewhere();
    await outputOf("eval", plain, "--limit", "1");
  });
});

describe("a server that a folder names", () => {
  async function apiRun(url: string, name: string): Promise<string> {
    const location = join(folder, name);
    await mkdir(location);
    const { config } = await writeSums(location, { actorUrl: url, train: { problemsPerStep: 1 } });
    const directory = join(location, "run");
    expect(await laconic("train", config, "--run", directory)).toMatchObject({ code: 0 });
    return directory;
  }

  const keysOf = (served: readonly ServedRequest[]): string[] => [...new Set(served.map(({ key }) => key))];

  test("gets a key from its configuration, never from a received folder", async () => {
    here();
    vi.stubEnv("OPENAI_API_KEY", "sk-mine");
    const { url, served } = await recordingServer(() => "#### 4");
    const directory = await apiRun(url, "api");
    await outputOf("eval", directory, "--limit", "1");
    expect(keysOf(served)).toEqual(["Bearer sk-mine"]);
    served.length = 0;

    elsewhere();
    vi.stubEnv("OPENAI_API_KEY", "sk-mine");
    for (const words of [["eval"], ["analyze"], ["serve", "--port", "0"], ["train", "--resume"]]) {
      const { code, err } = await laconic(...words, directory, ...(words[0] === "train" ? ["train.steps=2"] : []));
      expect([code, err]).toEqual([2, expect.stringMatching(/was not made on this machine.*--trust/u)]);
      const trusted = await laconic(...words, directory, "--trust");
      expect([trusted.code, trusted.err]).toEqual([2, expect.stringContaining("must not receive OPENAI_API_KEY")]);
    }
    expect(served).toEqual([]);

    await outputOf("eval", directory, "--limit", "1", "--actor", `api:oracle@${url}`);
    vi.stubEnv("OPENAI_BASE_URL", url);
    await outputOf("eval", directory, "--limit", "1", "--trust");
    expect(keysOf(served)).toEqual(["Bearer sk-mine"]);
    served.length = 0;

    vi.stubEnv("OPENAI_BASE_URL", "");
    vi.stubEnv("OPENAI_API_KEY", "");
    await outputOf("eval", directory, "--limit", "1", "--trust");
    expect(keysOf(served)).toEqual(["Bearer none"]);
  });

  test("is not contacted by a received bench", async () => {
    here();
    vi.stubEnv("OPENAI_API_KEY", "sk-mine");
    const { url, served } = await recordingServer(() => "#### 4");
    const bench = join(folder, "bench-made");
    const asked = ["--data", questions, "--grading", "numeric", "--methods", "cot", "--limit", "2", "--model", "m"];
    expect(await laconic("bench", ...asked, "--base-url", url, "--run", bench)).toMatchObject({ code: 0 });
    await outputOf("bench", "--resume", "--run", bench);
    served.length = 0;

    const forged = join(folder, "bench-forged");
    const file = join(forged, benchFiles.settings);
    for (const change of [
      {},
      { baseUrl: "https://api.openai.com/v1", judge: { model: "m", baseUrl: url, price: null } },
      { baseUrl: "https://api.openai.com/v1", roleModels: { solver: { model: "m", baseUrl: url, price: null } } },
    ]) {
      await rm(forged, { recursive: true, force: true });
      await cp(bench, forged, { recursive: true });
      await rm(join(forged, benchFiles.samples));
      await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, "utf8")), ...change }));
      expect((await laconic("bench", "--resume", "--run", forged)).err).toMatch(
        /was not made on this machine.*--trust/u,
      );
      vi.stubEnv("OPENAI_API_KEY_JUDGE", "sk-judge");
      await expectRefused(["bench", "--resume", "--run", forged, "--trust"], "must not receive OPENAI_API_KEY");
    }
    expect(served).toEqual([]);
  });
});
