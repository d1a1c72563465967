import { describe, expect, test } from "vitest";
import { publishedPackages, readText, repositoryFiles } from "./workspace.ts";

/** Floors, the lowest first. A package imports only from floors below its own; nothing imports an app. */
const packagesByFloor = [
  "core",
  "gspo rewards budget",
  "hub topologies benchmarks grading sandbox",
  "engine kernels-torch kernels-tfjs tinker openai baselines",
  "meter serve trainer evaluation tasks",
  "view verify runtime",
  "cli",
];
const floors: Readonly<Record<string, number>> = Object.fromEntries(
  packagesByFloor.flatMap((names, floor) => names.split(" ").map((name) => [`@laconic/${name}`, floor])),
);

/** Imports within a floor, each with the one module it may name. */
const neighbours: Readonly<Record<string, readonly string[]>> = {
  // The kernel contract is an entry of the engine.
  "@laconic/kernels-tfjs": ["@laconic/engine/kernels"],
  "@laconic/kernels-torch": ["@laconic/engine/kernels"],
  // Data sets come from the hub.
  "@laconic/benchmarks": ["@laconic/grading", "@laconic/hub"],
  // Pages show configurations, variants and teams as the runtime opens them.
  "@laconic/view": [
    "@laconic/runtime",
    "@laconic/runtime/models",
    "@laconic/runtime/resolver",
    "@laconic/runtime/spending",
  ],
  // The meter's proxy has the guard of servers.
  "@laconic/meter": ["@laconic/serve/server"],
  // Presets are what the trainer takes.
  "@laconic/tasks": ["@laconic/trainer"],
};

const importOf = /(?:from|import)\s*\(?\s*["'](@laconic\/[^"']+)["']/g;
const sources = repositoryFiles().filter((path) => /\/src\/.*\.ts$/.test(path) && !path.endsWith(".test.ts"));

describe.each(publishedPackages)("$manifest.name", ({ folder, manifest: { name } }) => {
  const floor = floors[name];

  test("has a layer", () => expect(floor).toBeTypeOf("number"));

  test("imports only from lower layers", () => {
    const files = sources.filter((path) => path.startsWith(`${folder}/src/`));
    expect(files).not.toHaveLength(0);
    const climbing = files.flatMap((path) =>
      [...readText(path).matchAll(importOf)]
        .map((match) => match[1] ?? "")
        .filter((specifier) => {
          const target = specifier.split("/").slice(0, 2).join("/");
          const below = (floors[target] ?? Infinity) < (floor ?? 0);
          return !below && target !== name && !neighbours[name]?.includes(specifier);
        })
        .map((specifier) => `${path} imports ${specifier}`),
    );
    expect(climbing).toEqual([]);
  });
});
