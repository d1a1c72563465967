import { join } from "node:path";
import { build, type Rolldown } from "vite";
import { describe, expect, test } from "vitest";
import { apiReports } from "../scripts/lib/api-report.mjs";
import { countSizes, sizeFaults } from "../scripts/lib/size-counts.mjs";
import { sizeCaps, sizeLimits } from "../scripts/lib/size-limits.mjs";
import { root } from "./workspace.ts";

const limits = Object.entries(sizeLimits).map(([name, limit]) => ({ name, ...limit }));
const bundles = limits.flatMap(({ name, bundle }) => (bundle === undefined ? [] : [{ name, bundle }]));

async function bundled(entry: string): Promise<string> {
  const built = (await build({
    root,
    configFile: false,
    logLevel: "error",
    build: {
      write: false,
      minify: true,
      target: "es2023",
      modulePreload: false,
      rolldownOptions: { input: join(root, entry), external: [/^node:/], preserveEntrySignatures: "strict" },
    },
  })) as Rolldown.RolldownOutput;
  return built.output.map((part) => ("code" in part ? part.code : "")).join("");
}

describe("bundle limits", () => {
  test.each(bundles)("$name has at most $bundle minified bytes and no Node module", async ({ name, bundle }) => {
    const code = await bundled(`packages/${name.replace("@laconic/", "")}/src/index.ts`);
    expect(code.length).toBeGreaterThan(1000);
    expect(code.length).toBeLessThanOrEqual(bundle);
    expect(code).not.toMatch(/from\s*["']node:/u);
  });
});

describe("export limits", () => {
  const reports = apiReports();

  test.each(limits)("$name exports at most $exports names", ({ name, exports = Infinity, root: most = Infinity }) => {
    const own = reports.filter(({ entry }) => entry === name || entry.startsWith(`${name}/`));
    expect(own.flatMap(({ names }) => names).length).toBeLessThanOrEqual(exports);
    expect(own.find(({ entry }) => entry === name)?.names.length ?? 0).toBeLessThanOrEqual(most);
    expect(own).not.toEqual([]);
  });
});

test("each package and the whole tree stay within their line caps (node scripts/size-caps.mjs)", () => {
  expect(sizeFaults(countSizes(), sizeCaps)).toEqual([]);
});

test("names grown packages with their number of lines", () => {
  const row = { source: 10, bytes: 300, tests: 4 };
  const caps = { "packages/a": row, total: row };
  expect(sizeFaults(caps, caps)).toEqual([]);
  expect(
    sizeFaults({ "packages/a": { ...row, source: 12 }, "packages/b": { ...row, bytes: 0, tests: 0 } }, caps),
  ).toEqual([
    "packages/a: 12 source lines, 2 above its cap of 10; remove lines elsewhere",
    "packages/b: 10 source lines, 10 above its cap of 0; remove lines elsewhere",
  ]);
});
