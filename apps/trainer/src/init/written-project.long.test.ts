import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { namedTasks } from "@laconic/worlds/named";
import { templateNames, type TemplateName } from "./templates.ts";
import { writeProject } from "./write-project.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const app = join(root, "apps", "trainer");
const run = promisify(execFile);
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

/** A project outside of the repository, with this repository's packages where npm would put the published ones. */
async function project(template: TemplateName): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-project-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeProject(folder, { name: "project", template });
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
  return folder;
}

test.each(templateNames)("%s: its types are right", { timeout: 120_000 }, async (template) => {
  const folder = await project(template);
  expect((await run(process.execPath, [tsc, "--pretty", "false"], { cwd: folder })).stdout).toBe("");
});

// Of those that begin with examples one whose replies become shorter, and one whose games become longer; `npm run check:stranger` runs each.
test.each(["team", "tools", "self-play"] as const)(
  "%s: its own test passes, which trains it for some steps",
  { timeout: 300_000 },
  async (template) => {
    const folder = await project(template);
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const PATH = [join(folder, "node_modules", ".bin"), process.env["PATH"]].join(delimiter);
    const { stdout } = await run(
      process.execPath,
      ["--import", "tsx", "--test", "--test-reporter", "tap", "task.test.ts"],
      { cwd: folder, env: { ...env, PATH } },
    ).catch((error: { stdout: string }) => error);
    expect(stdout).toMatch(/^# pass 10$/mu);
    expect(stdout).toMatch(/^# fail 0$/mu);
  },
);

test(
  "a CommonJS configuration type-checks, and a wrong name of a task is answered by the known ones",
  { timeout: 120_000 },
  async () => {
    const folder = await project("chat");
    const config = `import { defineRun } from "laconic";\nimport task from "./task.ts";\n`;
    await writeFile(
      join(folder, "own.config.cts"),
      `${config}export default defineRun({ task, train: { steps: 1 } });\n`,
    );
    await writeFile(
      join(folder, "wrong.config.cts"),
      `${config}export default defineRun({ task: { name: "relai" } });\n`,
    );
    const failed = await run(process.execPath, [tsc, "--pretty", "false"], { cwd: folder }).catch(
      (error: unknown) => error,
    );
    const { stdout } = failed as { readonly stdout: string };
    expect(stdout.split("\n")[0]).toMatch(
      /^wrong\.config\.cts\(3,\d+\): error TS2322: Type '\{ name: string; \}' is not assignable to type 'TaskChoice'\.$/u,
    );
    for (const name of Object.keys(namedTasks)) expect(stdout).toMatch(new RegExp(`known names: .*${name}[,"]`, "u"));
    expect(stdout.length).toBeLessThan(1000);
    expect(stdout).not.toContain("own.config.cts");
    expect(stdout).not.toMatch(/\d+ more/u);
  },
);
