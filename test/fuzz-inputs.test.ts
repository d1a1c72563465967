import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { readText, root } from "./workspace.ts";
import { targets, tryInput } from "./fuzz/targets.ts";

const inputs = (name: string): readonly string[] =>
  ["corpus", "found"]
    .map((kind) => join(root, "test/fuzz", kind, name))
    .flatMap((folder) => (existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : []));

describe.each(Object.keys(targets))("%s", (name) => {
  test("accepts or rejects the fuzzer's seeds and findings", async () => {
    expect(inputs(name).length).toBeGreaterThan(0);
    for (const file of inputs(name)) await tryInput(name, readFileSync(file));
  });

  test.each(["", "\u0000", "{", "null", "[[[[", "\ud800", "1e999"])("accepts or rejects %j", async (content) => {
    await tryInput(name, new TextEncoder().encode(content));
  });
});

test("the fuzzer reports foreign errors", async () => {
  await expect(tryInput("none", new Uint8Array())).rejects.toThrow("unknown target none; use one of: safetensors");
});

test("the nightly workflow fuzzes every target", () => {
  const { jobs } = parse(readText(".github/workflows/nightly.yml")) as {
    jobs: { fuzz: { strategy: { matrix: { target: string[] } } } };
  };
  expect(jobs.fuzz.strategy.matrix.target.toSorted()).toEqual(Object.keys(targets).toSorted());
});
