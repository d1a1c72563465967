import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { publishedPackages, root } from "./workspace.ts";

interface Task {
  readonly taskId: string;
  readonly command: string;
  readonly inputs: Readonly<Record<string, string>>;
  readonly dependencies: readonly string[];
}

/** What `turbo run test` would do. */
function plannedTasks(): ReadonlyMap<string, Task> {
  const turbo = join(root, "node_modules", "turbo", "bin", "turbo");
  const plan = execFileSync(process.execPath, [turbo, "run", "test", "--dry=json", "--no-daemon"], {
    cwd: root,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: "1" },
    maxBuffer: 1e8,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const { tasks } = JSON.parse(plan.toString("utf8")) as { tasks: readonly Task[] };
  return new Map(tasks.map((task) => [task.taskId, task]));
}

test("a package's tests run again when it, its dependencies' sources or the set-up change, and only then", () => {
  const tasks = plannedTasks();
  for (const { folder, manifest } of publishedPackages) {
    const task = tasks.get(`${manifest.name}#test`);
    expect(task?.command).toBe(manifest.scripts?.["test"]);
    expect(Object.keys(task?.inputs ?? {})).toEqual(
      expect.arrayContaining([
        "package.json",
        "../../vitest.config.ts",
        "../../test/setup.ts",
        "../../test/for-commands.ts",
      ]),
    );
    const siblings = Object.keys(manifest.dependencies ?? {}).filter((name) => tasks.has(`${name}#sources`));
    expect(task?.dependencies, folder).toEqual(expect.arrayContaining(siblings.map((name) => `${name}#sources`)));
    const sources = Object.keys(tasks.get(`${manifest.name}#sources`)?.inputs ?? {});
    expect(sources.filter((path) => path.endsWith(".test.ts"))).toEqual([]);
  }
  expect(Object.keys(tasks.get("@laconic/core#sources")?.inputs ?? {})).toContain("src/index.ts");
  expect(Object.keys(tasks.get("@laconic/core#test")?.inputs ?? {})).toContain("src/errors.test.ts");
}, 60_000);
