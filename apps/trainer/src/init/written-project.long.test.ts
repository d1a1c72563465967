import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { namedTasks } from "@laconic/tasks/named";
import { expectOwnTestPasses, folderWithPackages, repository } from "../../test/project-folder.ts";
import { templateNames } from "./templates.ts";
import { writeProject } from "./write-project.ts";

const commonJs = `import { defineRun } from "@laconic/cli";\nimport task from "./task.ts";\n`;

let folder = "";
let diagnostics: readonly string[] = [];

beforeAll(async () => {
  folder = await folderWithPackages();
  for (const template of templateNames) await writeProject(join(folder, template), { name: "project", template });
  const config = { extends: `./${templateNames[0]}/tsconfig.json`, include: ["*/*.ts", "*/*.cts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  await writeFile(
    join(folder, "chat", "own.config.cts"),
    `${commonJs}export default defineRun({ task, train: { steps: 1 } });\n`,
  );
  await writeFile(
    join(folder, "chat", "wrong.config.cts"),
    `${commonJs}export default defineRun({ task: { name: "relai" } });\n`,
  );
  const tsc = join(repository, "node_modules", "typescript", "bin", "tsc");
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, "--pretty", "false"], { cwd: folder }).catch(
    (error: { stdout: string }) => error,
  );
  diagnostics = stdout.split("\n").filter((line) => line !== "");
});
afterAll(() => rm(folder, { recursive: true }));

test.each(templateNames)("%s: its types check", (template) => {
  const ofProject = diagnostics.filter((line) => line.startsWith(`${template}/`));
  expect(ofProject.filter((line) => !line.includes("wrong.config.cts"))).toEqual([]);
});

test("a wrong task name lists only the known names", () => {
  expect(diagnostics[0]).toMatch(
    /^chat\/wrong\.config\.cts\(3,\d+\): error TS2322: Type '\{ name: string; \}' is not assignable to type 'TaskChoice'\.$/u,
  );
  const reply = diagnostics.join("\n");
  for (const name of Object.keys(namedTasks)) expect(reply).toMatch(new RegExp(`known names: .*${name}[,"]`, "u"));
  expect(reply.length).toBeLessThan(1000);
  expect(reply).not.toMatch(/\d+ more/u);
});

// What `init` writes by default, and one that begins with examples; every template at night.
test.each(["team", "tools"] as const)("%s: its test passes after a short training", expectOwnTestPasses);
