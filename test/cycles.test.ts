import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { readText, repositoryFiles } from "./workspace.ts";

const sources = repositoryFiles().filter(
  (path) =>
    /^(packages|apps)\/[^/]+\/src\/.*\.ts$/u.test(path) && !path.endsWith(".test.ts") && !path.endsWith(".d.ts"),
);

/** Imports of own files, types included: a circle of types is a circle of thoughts. */
function importsOf(path: string): string[] {
  const own = /(?:from|import)\s*\(?\s*["'](\.{1,2}\/[^"']+\.ts)["']/gu;
  return [...readText(path).matchAll(own)].map((match) => join(dirname(path), match[1] as string));
}

/** Strongly connected parts of more than one node (Tarjan 1972). */
function circlesOf(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const circles: string[][] = [];
  const index = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    lowest.set(node, index.get(node) as number);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node) as number, lowest.get(next) as number));
    }
    if (lowest.get(node) !== index.get(node)) return;
    const part = stack.splice(stack.indexOf(node));
    if (part.length > 1) circles.push(part.toSorted());
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return circles;
}

describe("no import cycles", () => {
  test("files have no import cycles", () => {
    expect(circlesOf(new Map(sources.map((path) => [path, new Set(importsOf(path))])))).toEqual([]);
  });

  test("sibling folders of an app have no import cycles", () => {
    const graph = new Map<string, Set<string>>();
    for (const path of sources.filter((source) => source.startsWith("apps/"))) {
      const folder = dirname(path);
      const edges = graph.get(folder) ?? new Set<string>();
      graph.set(folder, edges);
      for (const target of importsOf(path)) {
        const other = dirname(target);
        const within = `${folder}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${folder}/`);
        if (!within) edges.add(other);
      }
    }
    expect(circlesOf(graph)).toEqual([]);
  });
});
