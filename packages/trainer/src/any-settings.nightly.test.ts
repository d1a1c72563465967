import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LaconicError } from "@laconic/core";
import fc, { type Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";
import { trainConfigSchema } from "./settings/schema.ts";
import type { TrainingParts } from "./parts.ts";
import { tinyDuelParts, tinyPairParts, tinyParts, tinyRun, tinySettings } from "./testing/index.ts";

type JsonSchema = z.core.JSONSchema.JSONSchema;

const schema = z.toJSONSchema(trainConfigSchema, { unrepresentable: "any", io: "input" });
/** What the tabular model lacks, what ends a run by the clock, and how files are parted. */
const leftOut = ["steps", "sampling", "scoring", "retention"];
const keys = Object.keys(schema.properties ?? {}).filter((key) => !leftOut.includes(key));

/** Ends of ranges and numbers that people write, small enough that a run takes milliseconds. */
function numbers({ type, ...range }: JsonSchema): Arbitrary<number> {
  const least = range.minimum ?? (range.exclusiveMinimum as number | undefined) ?? -3;
  const most = range.maximum ?? (range.exclusiveMaximum as number | undefined) ?? 12;
  const known = [least, least + 1, most, 0, 1, 2, 3, 7, 0.5, 0.1, 1e-6];
  const whole = type === "integer" ? known.filter((each) => Number.isInteger(each)) : known;
  return fc.constantFrom(...whole.filter((each) => each >= least && each <= Math.min(most, 12)));
}

/** Values that a schema allows, and some at an excluded end of a range. */
function valuesOf(given: JsonSchema): Arbitrary<unknown> {
  const one = given.anyOf ?? given.oneOf;
  if (one) return fc.oneof(...one.map((each) => valuesOf(each)));
  if (given.const !== undefined) return fc.constant(given.const);
  if (given.enum) return fc.constantFrom(...given.enum);
  if (given.type === "boolean") return fc.boolean();
  if (given.type === "integer" || given.type === "number") return numbers(given);
  if (given.type === "array")
    return fc.array(valuesOf(given.items as JsonSchema), { minLength: given.minItems ?? 0, maxLength: 3 });
  if (given.type === "object") return objectsOf(given);
  return given.type === "string" ? fc.constantFrom("a", "tokens", "solver", "x y") : fc.constant(null);
}

function objectsOf({ properties = {}, required = [], additionalProperties }: JsonSchema): Arbitrary<unknown> {
  if (typeof additionalProperties === "object")
    return fc.dictionary(fc.constantFrom("tokens", "a", "solver"), valuesOf(additionalProperties), { maxKeys: 2 });
  const fields = Object.entries(properties).map(([name, each]) => [name, valuesOf(each as JsonSchema)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: required });
}

const settings: Arbitrary<Readonly<Record<string, unknown>>> = fc
  .subarray(keys, { minLength: 1, maxLength: 4 })
  .chain((some) =>
    fc.record(Object.fromEntries(some.map((key) => [key, valuesOf(schema.properties?.[key] as JsonSchema)]))),
  );

const teams: Readonly<Record<string, () => TrainingParts>> = {
  solo: () => tinyParts(),
  star: () => tinyParts("star"),
  pair: () => tinyPairParts(),
  duel: () => tinyDuelParts(),
};

/** Trains, trains again, and trains in two parts; null where the settings are refused. @throws for what nobody should see */
async function trained(team: string, given: Readonly<Record<string, unknown>>): Promise<readonly string[] | null> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-any-"));
  let hasBegun = false;
  const run = (name: string, more: object = {}): Promise<unknown> => {
    const small = { steps: 3, problemsPerStep: 2, episodesPerProblem: 3, evaluation: { every: 2, problems: 3 } };
    const grouping = team === "duel" ? { groupBy: "prompt+agent" } : {};
    const all = { ...tinySettings, ...small, ...grouping, checkpoint: { every: 1, keep: 2 }, ...given };
    const observer = { evaluation: () => (hasBegun = true) };
    return tinyRun({
      directory: join(folder, name),
      settings: all,
      parts: teams[team]?.() as TrainingParts,
      observer,
      ...more,
    });
  };
  try {
    await run("whole");
    if (given["asynchronous"]) return [];
    await run("again");
    const stop = new AbortController();
    await run("parts", { signal: stop.signal, observer: { checkpoint: () => stop.abort() } });
    await run("parts", { resume: true });
    return await Promise.all(
      ["whole", "again", "parts"].map((name) => readFile(join(folder, name, "metrics.jsonl"), "utf8")),
    );
  } catch (error) {
    const code = LaconicError.is(error) ? error.code : null;
    // Only episodes show whether rewards are what an estimator can use: BNPO takes success rates, and a price makes them negative.
    if (code === "reward_invalid" || (code === "config_invalid" && !hasBegun)) return null;
    throw error;
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("settings drawn at random are refused before the first episode, or train, and train again and in parts to the same rows", async () => {
  let ended = 0;
  const property = fc.asyncProperty(fc.constantFrom(...Object.keys(teams)), settings, async (team, given) => {
    const rows = await trained(team, given);
    if (rows !== null) ended += 1;
    const [whole, ...others] = rows ?? [];
    for (const other of others) expect(other).toBe(whole);
    // JSON has null for what is no number.
    for (const row of (whole ?? "").split("\n").filter((line) => line !== ""))
      expect(Object.values(JSON.parse(row) as object)).not.toContain(null);
  });
  await fc.assert(property, { numRuns: 400, seed: 1 });
  expect(ended).toBeGreaterThan(100);
}, 600_000);
