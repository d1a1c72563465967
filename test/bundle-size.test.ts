import { join } from "node:path";
import { build, type Rolldown } from "vite";
import { describe, expect, test } from "vitest";
import { root } from "./workspace.ts";

/** What a stranger installs first: everything its index exports, with what that needs, minified. */
const limits: readonly (readonly [entry: string, kilobytes: number])[] = [
  ["packages/core/src/index.ts", 32],
  ["packages/gspo/src/index.ts", 33],
  ["packages/rewards/src/index.ts", 32],
  ["packages/budget/src/index.ts", 32],
  ["packages/topologies/src/index.ts", 32],
];

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

describe("the pure packages stay small", () => {
  test.each(limits)(
    "%s is at most %d kB minified, without a module of Node's",
    { timeout: 60_000 },
    async (entry, most) => {
      const code = await bundled(entry);
      expect(code.length).toBeGreaterThan(1000);
      expect(code.length).toBeLessThanOrEqual(most * 1000);
      expect(code).not.toMatch(/from\s*["']node:/u);
    },
  );
});
