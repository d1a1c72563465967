import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { scenarios } from "./simulate/scenarios/table.ts";
import { root } from "./workspace.ts";

/** Over all scenarios, about: those that are played fast have more. */
const seeds = 200;

async function simulate(...words: readonly string[]): Promise<{ readonly said: string; readonly code: number | null }> {
  const child = spawn(process.execPath, [join(root, "scripts/simulate.mjs"), ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [reply] = await Promise.all([text(child.stdout), once(child, "close")]);
  return { said: reply, code: child.exitCode };
}

function tracesOf(reply: string, seed: number): Record<string, string> {
  const lines = reply.split("\n").filter((line) => line.startsWith("{"));
  const outcomes = lines.map((line) => JSON.parse(line) as Record<"scenario" | "trace", string> & { seed: number });
  return Object.fromEntries(
    outcomes.flatMap((outcome) => (outcome.seed === seed ? [[outcome.scenario, outcome.trace]] : [])),
  );
}

test("a seed of every scenario gives the same trace after others and first in a process", async () => {
  const behind = await simulate("--seed", "4", "--seeds", "3", "--jobs", "1", "--json");
  const first = await simulate("--seed", "6", "--json");
  const traces = tracesOf(behind.said, 6);
  expect(Object.keys(traces).toSorted()).toEqual(Object.keys(scenarios).toSorted());
  expect(tracesOf(first.said, 6)).toEqual(traces);
});

// Seeds that the quick test plays are not played again; both cores play, as the script has it.
test("all seeds pass; a failing seed reports its replay command", async () => {
  const words = ["--seed", "1001", "--total", String(seeds)];
  const { said, code } = await simulate(...words);
  const failed = Array.from(said.matchAll(/^(\S+) --seed (\d+) FAILS: (.*)$/gmu), ([, scenario, seed, why]) => {
    return `npm run simulate -- --scenario ${scenario} --seed ${seed} --replay\n  ${why}`;
  });
  expect(failed, failed.join("\n")).toEqual([]);
  const played = Array.from(said.matchAll(/^\S+: (\d+) seeds, /gmu), ([, count]) => Number(count));
  expect(played).toHaveLength(Object.keys(scenarios).length);
  expect(Math.min(...played)).toBeGreaterThanOrEqual(seeds / 60);
  expect(played.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(seeds - played.length);
  expect(code).toBe(0);
});
