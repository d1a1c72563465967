import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build, type Rolldown } from "vite";
import { describe, expect, test } from "vitest";
import { root } from "./workspace.ts";

const entries = [
  "core core/files core/schemas gspo gspo/presets rewards budget topologies benchmarks hub/tokenizers trainer",
  "tasks tasks/tools tasks/presets tasks/stories tasks/warm-start",
  "engine engine/kernels engine/kernels/testing engine/wasm engine/webgpu",
]
  .flatMap((names) => names.split(" "))
  .map((name) => name.replace(/^([\w-]+)(.*)$/u, "packages/$1/src$2/index.ts"));

interface Bundle {
  /** What Laconic's own modules became; libraries look before they leap. */
  readonly code: string;
  /** Modules of Node's that a file of the bundle asks for, with who asks. */
  readonly node: readonly string[];
  readonly sources: readonly string[];
  readonly gzipped: number;
}

/** As an app's build makes it: everything bundled, the browser's conditions, nothing external but the optional backend. */
async function bundled(entry: string, external: readonly (string | RegExp)[] = []): Promise<Bundle> {
  const node: string[] = [];
  const built = (await build({
    root,
    configFile: false,
    logLevel: "silent",
    plugins: [
      {
        name: "modules of Node's",
        enforce: "pre",
        resolveId(id, importer) {
          if (id.startsWith("node:")) node.push(`${importer} imports ${id}`);
          return null;
        },
      },
    ],
    build: {
      write: false,
      minify: external.length > 0,
      target: "es2023",
      modulePreload: false,
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: join(root, entry),
        external: [...external],
        preserveEntrySignatures: "strict",
      },
    },
  })) as Rolldown.RolldownOutput;
  const chunks = built.output.filter((part) => part.type === "chunk");
  return {
    code: chunks
      .flatMap(({ modules }) => Object.entries(modules))
      .flatMap(([id, { code }]) => (id.startsWith(join(root, "packages")) ? [code ?? ""] : []))
      .join("\n"),
    node,
    sources: chunks.flatMap(({ moduleIds }) => moduleIds),
    gzipped: gzipSync(chunks.map(({ code }) => code).join(""), { level: 9 }).length,
  };
}

function found(code: string, pattern: RegExp): string[] {
  return Array.from(code.matchAll(pattern), ({ index }) => code.slice(index - 60, index + 60));
}

describe("browser bundles", () => {
  test.each(entries)("entries of %s need no Node module, Node global or eval", async (entry) => {
    const { code, node } = await bundled(entry);
    expect(node).toEqual([]);
    expect(code.length).toBeGreaterThan(200);
    expect(
      found(code, /\bsetImmediate\(|\bBuffer\.|\bprocess\.(?:pid|kill|stdout)|\bnew Function\b|\beval\(/gu),
    ).toEqual([]);
  });

  test.each(["", "presets/"])("entries of tasks/src/%s omit the benchmark index", async (name) => {
    const { sources } = await bundled(`packages/tasks/src/${name}index.ts`);
    expect(sources.filter((path) => /packages\/(benchmarks|sandbox|hub)\//u.test(path))).toEqual([]);
  });

  test("wasm kernels have less than 14 kB gzipped, without TensorFlow.js", async () => {
    const { gzipped, sources } = await bundled("packages/engine/src/wasm/index.ts", [/^never$/u]);
    expect(sources.filter((path) => path.includes("@tensorflow"))).toEqual([]);
    expect(gzipped).toBeGreaterThan(3000);
    expect(gzipped).toBeLessThan(14_000);
  });

  test.each([
    ["training-worker.ts", 126],
    ["engine-worker.ts", 40],
    // Both in one, and the wasm kernels: all of JavaScript that a tab needs to train.
    ["inline-worker.ts", 165],
  ])("entries of %s have less than %d kB gzipped", async (worker, most) => {
    const beside = worker === "inline-worker.ts" ? /^never$/u : /engine\/src\/wasm/u;
    const { gzipped, sources } = await bundled(`test/browser/${worker}`, [beside]);
    const holds = (file: string): boolean => sources.some((path) => path.endsWith(file));
    expect(holds("engine/src/local/host/inline-host.ts")).toBe(worker !== "training-worker.ts");
    expect(holds("trainer/src/train.ts")).toBe(worker !== "engine-worker.ts");
    expect(gzipped).toBeGreaterThan(15_000);
    expect(gzipped).toBeLessThan(most * 1000);
  });
});
