import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { main } from "../apps/trainer/src/main.ts";
import { recordingTerminal } from "../apps/trainer/test/recording-terminal.ts";
import exemplars from "../packages/benchmarks/assets/exemplars.json" with { type: "json" };
import { variantsOf } from "../packages/runtime/src/index.ts";
import { presetConfig } from "../packages/runtime/src/resolver/index.ts";
import { parseTrainConfig } from "../packages/trainer/src/index.ts";
import * as released from "./released.ts";

const { changedSettings, comparedRows, configurations, openSettings, releasedFaults, resolved } = released;
const defaults = parseTrainConfig({});

describe.each(configurations)("$name", (configuration) => {
  const { preset, overrides } = configuration;
  const rows = comparedRows(configuration);

  test("equal rows are equal, departures have a reason, and no setting of train lacks a row", () => {
    expect(releasedFaults(rows, resolved(preset, overrides).train, defaults)).toEqual([]);
    expect(new Set(rows.map(({ key, path }) => key ?? path)).size).toBe(rows.length);
  });

  test("rows without a value name settings that exist", () => {
    for (const { path } of rows.filter((row) => row.path !== undefined && row.ours === null)) {
      const refusal = (): unknown => resolved(preset, [...(overrides ?? []), `${path}="?"`]);
      expect(refusal, path).toThrow(/must be/u);
    }
  });

  test("files have the commit of the published texts", () => {
    for (const { repository, commit } of rows.map(({ file }) => released.pinnedFile(file)))
      expect(commit).toBe((exemplars.repositories as Record<string, string>)[repository] ?? commit);
  });

  const { repository, commit, path } = released.pinnedFile(configuration.file);
  const file = join(process.env["LACONIC_EXEMPLARS"] ?? "", "exemplars", repository, commit, path);
  test.skipIf(!existsSync(file))("values are those of the released file (LACONIC_EXEMPLARS)", () => {
    const text = readFileSync(file, "utf8");
    const lines = text.split("\n").map((line) => line.replace(/\s(?:\\|#.*)$|"/gu, "").trim());
    const yaml = path.endsWith(".yaml") ? (parse(text) as unknown) : null;
    const isWritten = (key: string, value: string): boolean => {
      if (yaml === null) return lines.includes(`${key}=${value}`);
      const found = String(released.settingAt(yaml, key));
      return found === value || found.endsWith(`/${value}`) || found === String(Number(value));
    };
    const mine = rows.filter((row) => row.file === configuration.file && row.key !== null);
    expect(mine.filter(({ key, value }) => !isWritten(String(key), String(value)))).toEqual([]);
  });
});

test("a table with a wrong value, a stale or missing reason, or a missing row has faults", () => {
  const [agentPo] = configurations;
  const rows = comparedRows(agentPo as released.ReleasedConfiguration);
  const { train } = resolved("agentpo-hint");
  const faultsOf = (key: string, change: Partial<released.ComparedSetting>, named = key): string[] =>
    releasedFaults(
      rows.map((row) => (row.key === named ? { ...row, ...change } : row)),
      train,
      defaults,
    );
  expect(faultsOf("dataset_num", { value: "400" })).toEqual([expect.stringMatching(/ours is 500, without a reason/u)]);
  expect(faultsOf("dataset_num", { reason: "Ours is larger." })).toEqual([expect.stringMatching(/equal, but has/u)]);
  expect(faultsOf("trainer.test_freq", { reason: " " })).toEqual([expect.stringMatching(/ours is 7, without/u)]);
  expect(faultsOf("use_dynamic_bsz", { reason: "" })).toEqual([expect.stringMatching(/without a reason/u)]);
  expect(faultsOf("lr", { note: "" }, "gen_prompt_bsz")).toEqual([expect.stringMatching(/has no note/u)]);
  expect(faultsOf("dataset_num", { path: "train", ours: train, reason: "All." })).toEqual([
    expect.stringMatching(/is a group of settings/u),
    "train.problemPool: differs from the default and has no row",
  ]);
});

describe("open settings of Agent-GSPO", () => {
  const config = resolved("agent-gspo");

  test("cover every setting of train that differs from the default", () => {
    const budget = { targetTokens: 1, learningRate: 1, warmupIterations: 1 };
    const changed = changedSettings(config.train, parseTrainConfig({ budget }), "train");
    expect(changed.filter((path) => openSettings.every((row) => row.path !== path))).toEqual([]);
  });

  test.each(openSettings)("$path: the sweep has our value and others, and each run is planned", async (row) => {
    const words = released.sweepCommand(row).split(" ").slice(3);
    const { variants, fixed } = variantsOf(words, [{ name: "preset:agent-gspo", base: presetConfig("agent-gspo") }]);
    const runs = variants.map(({ overrides }) => [...fixed, ...overrides]);
    const values = runs.map((overrides) => released.settingAt(resolved("agent-gspo", overrides), row.path));
    expect(values).toContain(released.settingAt(config, row.path));
    expect(new Set(values).size).toBeGreaterThan(1);
    for (const overrides of runs)
      expect(
        await main(["train", "preset:agent-gspo", ...overrides, "--dry-run"], { terminal: recordingTerminal() }),
      ).toBe(0);
  });
});
