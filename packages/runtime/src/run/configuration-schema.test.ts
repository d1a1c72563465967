import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import { isRecord } from "@laconic/core";
import { places } from "../resolver/reference.ts";
import { loadConfig, presetConfig, presetNames } from "../resolver/index.ts";
import { parseAppConfig } from "./app-config.ts";
import { configurationSchema, type JsonSchema } from "./configuration-schema.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

const schema = configurationSchema();

/** Every key of a schema with its place; alternatives share one. */
function keysOf(of: JsonSchema, path: readonly string[] = []): (readonly [place: string, key: JsonSchema])[] {
  const inner = (next: unknown, position: readonly string[]): (readonly [string, JsonSchema])[] =>
    typeof next === "object" && next !== null ? keysOf(next as JsonSchema, position) : [];
  return [
    ...Object.entries(of.properties ?? {}).flatMap(([key, piece]) => [
      [[...path, key].join("."), piece] as const,
      ...keysOf(piece, [...path, key]),
    ]),
    ...[...(of.anyOf ?? []), ...(of.oneOf ?? [])].flatMap((piece) => keysOf(piece, path)),
    ...inner(of.additionalProperties, [...path, "*"]),
    ...inner(of.items, [...path, "*"]),
  ];
}

// The object that names a file is the same everywhere, and has words as a whole.
const keys = keysOf(schema).filter(
  ([location]) => !places.some(([own]) => `${own.replaceAll("*", "x")}.file` === location.replaceAll("*", "x")),
);

test("every key says what it is", () => {
  expect(keys.length).toBeGreaterThan(300);
  expect(keys.filter(([, { description }]) => description === undefined).map(([location]) => location)).toEqual([]);
});

test("every value of the configuration that says nothing is the default of its key", () => {
  const defaults = new Map(keys.map(([location, key]) => [location, key["default"]] as const));
  const compare = (value: unknown, path: readonly string[]): void => {
    if (isRecord(value) && Object.keys(value).length > 0)
      return Object.entries(value).forEach(([key, item]) => compare(item, [...path, key]));
    if (!defaults.has(path.join("."))) return;
    if (isRecord(value)) return;
    expect([path.join("."), defaults.get(path.join("."))]).toEqual([path.join("."), value]);
  };
  compare(parseAppConfig({}), []);
  expect([...defaults.values()].filter((value) => value !== undefined).length).toBeGreaterThan(50);
  expect([defaults.get("train.steps"), defaults.get("device"), defaults.get("train.evaluation.every")]).toEqual([
    100,
    "auto",
    20,
  ]);
});

test("accepts every preset and custom values, and rejects a misspelt key and a wrong kind", () => {
  const checked = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  const takes = (config: unknown): boolean => checked.safeParse(config).success;
  for (const name of presetNames)
    expect([name, takes(JSON.parse(JSON.stringify(presetConfig(name))))]).toEqual([name, true]);
  expect(takes({ $schema: "./laconic.schema.json" })).toBe(true);
  expect(takes({ task: "./task.ts", train: { reward: { file: "./reward.ts" }, budget: "./budget.ts#slow" } })).toBe(
    true,
  );
  expect(takes({ trian: {} })).toBe(false);
  expect(takes({ train: { stesp: 3 } })).toBe(false);
  expect(takes({ train: { steps: "many" } })).toBe(false);
  expect(takes({ train: { budget: { targetToken: 3 } } })).toBe(false);
});

test("a file may name its schema", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "run.config.json");
  await writeFile(file, JSON.stringify({ $schema: "./laconic.schema.json", train: { steps: 3 } }));
  expect(parseAppConfig(await loadConfig(file)).train.steps).toBe(3);
});
