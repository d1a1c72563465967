import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeProject } from "./write-project.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const app = join(root, "apps", "trainer");
const run = promisify(execFile);
let folder = "";

/** A project outside of the repository, with this repository's packages where npm would put the published ones. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "laconic-project-"));
  await writeProject(folder, { name: "project" });
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, ".bin"), { recursive: true });
  const links = {
    laconic: app,
    "@laconic": join(app, "node_modules", "@laconic"),
    "@types": join(root, "node_modules", "@types"),
    tsx: join(root, "node_modules", "tsx"),
    ".bin/laconic": join(app, "assets", "laconic.mjs"),
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(modules, name));
});
afterAll(() => rm(folder, { recursive: true }));

test("its types are right, by its own settings", { timeout: 120_000 }, async () => {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = await run(process.execPath, [tsc, "--pretty", "false"], { cwd: folder });
  expect(stdout).toBe("");
});

test("its own test passes, which trains it for some steps", { timeout: 300_000 }, async () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const PATH = [join(folder, "node_modules", ".bin"), process.env["PATH"]].join(delimiter);
  const { stdout } = await run(
    process.execPath,
    ["--import", "tsx", "--test", "--test-reporter", "tap", "task.test.ts"],
    { cwd: folder, env: { ...env, PATH } },
  );
  expect(stdout).toMatch(/^# pass 10$/mu);
  expect(stdout).toMatch(/^# fail 0$/mu);
});
