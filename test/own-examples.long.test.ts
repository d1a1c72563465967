import { existsSync } from "node:fs";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { laconic } from "../apps/trainer/test/laconic.ts";
import { done, rowsOf } from "./for-examples.ts";
import { readText, root } from "./workspace.ts";
import { sharedFolder } from "./temporary-folder.ts";

const timeout = 300_000;
const file = (name: string): string => join(root, "examples", name);

const folder = sharedFolder();

test.each(["past-selves.ts", "search-then-train.ts"])("%s is a run definition", async (name) => {
  const { default: run } = (await import(file(name))) as { readonly default: unknown };
  expect(run).toMatchObject({ task: expect.anything(), train: expect.any(Object) });
});

test("the page on custom tasks shows the example unchanged", () => {
  const [shown] = readText("docs/your-own-task.md").match(/(?<=^```ts\n).*?(?=^```$)/ms) ?? [];
  const code = readText("examples/telegraph.ts");
  expect(shown).toBe(code.slice(code.indexOf("import ")));
});

describe("a run with custom values", () => {
  const small = ["train.evaluation.problems=60", "train.evaluation.every=0"];
  let run = "";
  let accuracy: Readonly<Record<"before" | "after", number>> = { before: 1, after: 0 };

  beforeAll(async () => {
    run = join(folder, "telegraph");
    const out = await done("train", file("telegraph.ts"), "train.steps=10", ...small, "--run", run, "--json");
    const { before, after } = JSON.parse(out) as Record<"before" | "after", { readonly accuracy: number }>;
    accuracy = { before: before.accuracy, after: after.accuracy };
  }, timeout);

  test("learns in ten steps", () => {
    expect(accuracy.after).toBeGreaterThan(accuracy.before + 0.3);
  });

  test("gives each station a separate term along with the team's", async () => {
    const rows = await rowsOf(run);
    const [first = {}, last = {}] = [rows[0], rows.at(-1)];
    for (const agent of ["north", "south"])
      expect(last[`reward/agent/${agent}`]).toBeGreaterThan((first[`reward/agent/${agent}`] ?? 1) + 0.1);
    expect(last["reward/agent/office"]).toBeUndefined();
  });

  test("is evaluated and analysed", { timeout }, async () => {
    expect(JSON.parse(await done("eval", run, "--limit", "20", "--json"))).toMatchObject({ step: 10, problems: 20 });
    expect(await done("analyze", run, "--limit", "4")).toContain("at step 10");
  });

  test("resumes and is swept", { timeout }, async () => {
    const copy = join(folder, "resumed");
    await cp(run, copy, { recursive: true });
    await done("train", file("telegraph.ts"), "train.steps=11", ...small, "--resume", "--run", copy);
    expect(await rowsOf(copy)).toHaveLength(11);
    const sweep = ["train.steps=1", "train.problemsPerStep=2,4", "train.evaluation.problems=4", "--seeds", "1"];
    await done("sweep", file("telegraph.ts"), ...sweep, "--out", join(folder, "sweep"));
    expect(existsSync(join(folder, "sweep", "sweep.md"))).toBe(true);
  });

  test("is benched on its questions with two other runs", { timeout }, async () => {
    const methods = ["telegraph", "second", "third"].map((name) => `${name}=${run}`).join(",");
    const on = ["--benchmarks", `${file("telegraph.ts")}#board`, "--limit", "20", "--model", "none"];
    expect(await done("bench", ...on, "--methods", methods, "--run", join(folder, "bench"))).toContain("telegrams");
  });
});

test("self-play is zero-sum, and both players learn", { timeout }, async () => {
  const run = join(folder, "self-play");
  await done("train", file("self-play.ts"), "train.steps=2", "train.evaluation.problems=4", "--run", run);
  for (const row of await rowsOf(run)) {
    expect((row["reward/agent/proposer"] ?? 1) + (row["reward/agent/solver"] ?? 1)).toBeCloseTo(0, 12);
    for (const player of ["proposer", "solver"]) expect(row[`policy/${player}/actor/grad_norm`]).toBeGreaterThan(0);
  }
});

describe("the papers' presets with one changed property", () => {
  type Config = Readonly<Record<string, unknown>>;
  const resolved = async (config: string): Promise<Config> =>
    JSON.parse(await done("train", config, "--dry-run", "--json")) as Config;

  const changed = (one: unknown, other: unknown, path = ""): string[] => {
    const isGroup = (value: unknown): value is Config => typeof value === "object" && value !== null;
    if (!isGroup(one) || !isGroup(other)) return one === other ? [] : [path.slice(1)];
    const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    return keys.flatMap((key) => changed(one[key], other[key], `${path}.${key}`));
  };

  test.each([
    ["fewerWords", "relay-quickstart", ["train.budget.targetTokens"]],
    ["sequenceRatios", "relay-hint", ["train.objective.name", "train.objective.minLength"]],
    ["onePolicy", "relay-writers", ["policies"]],
    ["inAChain", "agent-gspo", ["task.team"]],
    ["smallerGroups", "agentpo-hint", ["train.episodesPerProblem"]],
    ["shorter", "magrpo", ["train.steps"]],
  ])("%s equals %s except for %s", async (name, preset, keys) => {
    const own = await resolved(`${file("papers.ts")}#${name}`);
    expect(changed(own, await resolved(`preset:${preset}`))).toEqual(keys);
  });

  test.each(["fewerWords", "sequenceRatios", "onePolicy"])("%s trains", { timeout }, async (name) => {
    const run = join(folder, name);
    const short = ["train.steps=1", "train.problemsPerStep=3", "train.evaluation.problems=4"];
    await done("train", `${file("papers.ts")}#${name}`, ...short, "--run", run);
    expect(await rowsOf(run)).toHaveLength(1);
  });

  test("rejects an unknown export and lists the known ones", async () => {
    const { code, err } = await laconic("train", `${file("papers.ts")}#fewerWord`, "--dry-run");
    expect([code, err]).toEqual([2, expect.stringMatching(/export fewerWord not found; it exports fewerWords, /u)]);
  });
});
