import { join } from "node:path";
import { createContext, Script } from "node:vm";
import { build, type Rolldown } from "vite";
import { expect, test } from "vitest";
import { toolsSession } from "./browser/tools-session.ts";
import { root } from "./workspace.ts";

const ofTheWeb = `
  AbortController AbortSignal atob Blob btoa CompressionStream console crypto clearTimeout
  MessageChannel performance queueMicrotask Response setTimeout structuredClone TextDecoder TextEncoder URL
`
  .trim()
  .split(/\s+/u);

async function bundle(): Promise<string> {
  const built = (await build({
    root,
    configFile: false,
    logLevel: "silent",
    build: {
      write: false,
      minify: false,
      target: "es2023",
      lib: { entry: join(root, "test/browser/tools-session.ts"), formats: ["iife"], name: "session" },
    },
  })) as Rolldown.RolldownOutput[];
  const [chunk] = built[0]?.output ?? [];
  if (chunk?.type !== "chunk" || chunk.code.includes('require("')) throw new Error("no script of its own");
  return chunk.code;
}

test("tools and their environment train without Node as with it", async () => {
  const context = createContext(
    Object.fromEntries(ofTheWeb.map((name) => [name, Reflect.get(globalThis, name) as unknown])),
  );
  new Script(await bundle()).runInContext(context);
  expect(new Script("typeof process + typeof require + typeof Buffer").runInContext(context)).toBe(
    "undefined".repeat(3),
  );
  const rows = (await new Script("session.toolsSession()").runInContext(context)) as readonly string[];
  expect([...rows]).toEqual(await toolsSession());
  for (const row of rows) {
    const metrics = JSON.parse(row) as Record<string, number>;
    expect(metrics["measures/calls"]).toBeGreaterThan(1);
    expect(metrics["measures/call_errors"]).toBeLessThan(metrics["measures/calls"] ?? 0);
    expect(metrics["actor/grad_norm"]).toBeGreaterThan(0);
  }
});
