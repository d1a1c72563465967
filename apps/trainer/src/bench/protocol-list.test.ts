import { baselines } from "@laconic/baselines";
import { expect, test } from "vitest";
import { laconic, type CommandOutput } from "../../test/laconic.ts";

const list = (...words: readonly string[]): Promise<CommandOutput> => laconic("bench", "--list", ...words);

test("bench --list shows every method with its protocols as text and data", async () => {
  const { code, out } = await list();
  expect(code).toBe(0);
  for (const { name, protocols = [] } of baselines) {
    expect(out).toContain(`${name}: `);
    for (const { id, version } of protocols) expect(out).toContain(`  ${id}@${version}  for `);
  }
  const some = await list("--methods", "php,vanilla:few-shot-answers", "--json");
  const methods = JSON.parse(some.out) as { method: string; protocols: unknown }[];
  expect(methods.map(({ method }) => method)).toEqual(["vanilla:few-shot-answers", "php"]);
  expect(methods[1]?.protocols).toEqual(baselines.find(({ name }) => name === "php")?.protocols);
});

test("rejects an unknown method and lists the known ones", async () => {
  const { code, err } = await list("--methods", "phq");
  expect([code, err]).toEqual([2, expect.stringContaining("method phq not found; did you mean php?")]);
});
