import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished } from "vitest";
import type { TemplateName } from "../src/init/templates.ts";
import { writeProject } from "../src/init/write-project.ts";

export const repository: string = fileURLToPath(new URL("../../..", import.meta.url));
const app = join(repository, "apps", "trainer");

export async function linkPackages(modules: string): Promise<void> {
  const installed = join(app, "node_modules", "@laconic");
  const scope = join(modules, "@laconic");
  await mkdir(scope, { recursive: true });
  await symlink(app, join(scope, "cli"));
  for (const name of await readdir(installed)) await symlink(join(installed, name), join(scope, name));
}

export async function folderWithPackages(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-project-"));
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, ".bin"), { recursive: true });
  const links = {
    "@types": join(repository, "node_modules", "@types"),
    tsx: join(repository, "node_modules", "tsx"),
    ".bin/laconic": join(app, "assets", "laconic.mjs"),
  };
  await linkPackages(modules);
  for (const [name, target] of Object.entries(links)) await symlink(target, join(modules, name));
  return folder;
}

export async function expectOwnTestPasses(template: TemplateName): Promise<void> {
  const folder = await folderWithPackages();
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeProject(folder, { name: "project", template });
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const PATH = [join(folder, "node_modules", ".bin"), process.env["PATH"]].join(delimiter);
  const words = ["--import", "tsx", "--test", "--test-reporter", "tap", "task.test.ts"];
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder, env: { ...env, PATH } }).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toMatch(/^# pass 10$/mu);
  expect(stdout).toMatch(/^# fail 0$/mu);
}
