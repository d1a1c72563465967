import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

const hook = `export async function load(url, context, next) { process._rawDebug("read " + url); return next(url, context); }`;
const register = `import { register } from "node:module"; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});`;

function modulesOf(...words: readonly string[]): { readonly code: number | null; readonly files: readonly string[] } {
  return modulesOfProgram(`${root}apps/trainer/assets/laconic.mjs`, ...words);
}

function modulesOfProgram(...words: readonly string[]): ReturnType<typeof modulesOf> {
  const preload = `data:text/javascript,${encodeURIComponent(register)}`;
  const { status, stderr } = spawnSync(process.execPath, ["--import", preload, ...words], { encoding: "utf8" });
  const files = stderr.split("\n").flatMap((line) => /^read file:\/\/(.*?)(?:\?.*)?$/u.exec(line)?.[1] ?? []);
  const own = files.filter((file) => file.startsWith(root) && !file.includes("/node_modules/"));
  return { code: status, files: own.map((file) => file.slice(root.length)).toSorted() };
}

test.each([[["--help"]], [["data", "ls", "-h"]]])(
  "%j loads no command, and only core's number format of the packages",
  (words) => {
    const { code, files } = modulesOf(...words);
    expect(code).toBe(0);
    expect(files.filter((file) => !file.startsWith("packages/core/src/text/"))).toEqual([
      "apps/trainer/assets/commands.json",
      "apps/trainer/assets/laconic.mjs",
      "apps/trainer/package.json",
      "apps/trainer/src/cli/progress.ts",
      "apps/trainer/src/cli/say-error.ts",
      "apps/trainer/src/cli/terminal.ts",
      "apps/trainer/src/cli/wrapped.ts",
      "apps/trainer/src/commands/table.ts",
      "apps/trainer/src/dispatch/find-command.ts",
      "apps/trainer/src/dispatch/usage.ts",
      "apps/trainer/src/main.ts",
    ]);
  },
);

test("a mistyped command loads only core's list of names", () => {
  const { code, files } = modulesOf("trian");
  expect(code).toBe(2);
  expect(files.filter((file) => !file.startsWith("packages/core/") && file.includes("/commands/"))).toEqual([
    "apps/trainer/src/commands/table.ts",
  ]);
  expect(files.filter((file) => file.startsWith("packages/") && !file.startsWith("packages/core/"))).toEqual([]);
});

test("a run on WebAssembly loads no native module", () => {
  const refuse = `if (name === "koffi") throw new Error("no native part");`;
  const resolve = `export async function resolve(name, context, next) { ${refuse} return next(name, context); }`;
  const preload = `import Module, { register } from "node:module";
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(resolve)}`)});
    const load = Module._load;
    Module._load = (name, ...rest) => { ${refuse} return load(name, ...rest); };`;
  const entry = `${root}apps/trainer/assets/laconic.mjs`;
  const words = ["train", "preset:relay-quickstart", "device=wasm", "--dry-run"];
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(preload)}`, entry, ...words],
    { encoding: "utf8" },
  );
  expect([status, stderr]).toEqual([0, expect.not.stringContaining("no native part")]);
});

test("the run list loads neither the training loop nor benches", () => {
  const { code, files } = modulesOf("view", "ls", `${root}apps/trainer/assets`);
  expect(code).toBe(0);
  const folders = files.flatMap((file) => /^packages\/([^/]+)\/src\/(?:text\/|runs\/)?/u.exec(file)?.[0] ?? []);
  expect([...new Set(folders)]).toEqual([
    "packages/core/src/",
    "packages/core/src/text/",
    "packages/runtime/src/",
    "packages/trainer/src/",
    "packages/view/src/runs/",
  ]);
  expect(files).not.toContain("packages/trainer/src/index.ts");
});

test("the first episode of a relay run loads no run or model opener", () => {
  const opened = `
    import { runTokenizers } from "${root}packages/runtime/src/models/run-tokenizer.ts";
    const config = { model: "shipped", task: { name: "relay", level: "one-fact" } };
    const tokenizer = await runTokenizers({})({ directory: "/nowhere", config });
    process.exitCode = typeof tokenizer?.decode === "function" ? 0 : 1;`;
  const { code, files } = modulesOfProgram("--import", import.meta.resolve("tsx"), "--input-type=module", "-e", opened);
  expect(code).toBe(0);
  const folders = files.flatMap((file) => /^packages\/[^/]+\//u.exec(file)?.[0] ?? []);
  expect(new Set(folders)).not.toContain("packages/trainer/");
  expect(new Set(folders)).not.toContain("packages/hub/");
  expect(files.filter((file) => file.startsWith("packages/runtime/"))).toEqual([
    "packages/runtime/src/models/own-model.ts",
    "packages/runtime/src/models/run-tokenizer.ts",
  ]);
});
