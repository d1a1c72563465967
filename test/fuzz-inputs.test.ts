import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readText, root } from "./workspace.ts";
import { targets, tryInput } from "./fuzz/targets.ts";

/** Where inputs of a target lie: some to begin with, and those that once broke it. */
const inputs = (name: string): readonly string[] =>
  ["corpus", "found"]
    .map((kind) => join(root, "test/fuzz", kind, name))
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : []));

describe.each(Object.keys(targets))("%s", (name) => {
  test("takes or refuses what the fuzzer begins with, and what it once found", async () => {
    expect(inputs(name).length).toBeGreaterThan(0);
    for (const file of inputs(name)) await tryInput(name, readFileSync(file));
  });

  test.each(["", "\u0000", "{", "null", "[[[[", "\ud800", "1e999"])("takes or refuses %j", async (content) => {
    await tryInput(name, new TextEncoder().encode(content));
  });
});

test("an error that is not ours is one that the fuzzer reports", async () => {
  await expect(tryInput("none", new Uint8Array())).rejects.toThrow("no target is called none; there are safetensors");
});

test("every target is fuzzed at night", () => {
  const { jobs } = parse(readText(".github/workflows/nightly.yml")) as {
    jobs: { fuzz: { strategy: { matrix: { target: string[] } } } };
  };
  expect(jobs.fuzz.strategy.matrix.target.toSorted()).toEqual(Object.keys(targets).toSorted());
});
