import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { copyFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { publishedPackages, readText, repositoryFiles, root } from "./workspace.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const waiting = readdirSync(join(root, ".changeset")).filter((name) => name.endsWith(".md"));

describe.each(publishedPackages)("$manifest.name", ({ folder, manifest: { name } }) => {
  const isReleased = existsSync(join(root, folder, "CHANGELOG.md"));

  test.runIf(isReleased)("its changelog begins with its version", () => {
    const { version } = JSON.parse(readText(`${folder}/package.json`)) as { version: string };
    expect(readText(`${folder}/CHANGELOG.md`)).toMatch(new RegExp(`^# ${name}\n\n## ${version}\n`, "u"));
  });

  // `npx vitest run test/release.test.ts --update` writes them.
  test.skipIf(isReleased)("a changeset has its description before the first release", async () => {
    const { description } = JSON.parse(readText(`${folder}/package.json`)) as { description: string };
    const changeset = `---\n"${name}": minor\n---\n\nFirst release. ${description}\n`;
    await expect(changeset).toMatchFileSnapshot(`../.changeset/${name.replace("@laconic/", "")}.md`);
  });
});

test("changesets name existing packages", () => {
  const names = waiting.flatMap((file) =>
    [...readText(`.changeset/${file}`).matchAll(/^"(.+)": /gmu)].map(([, name]) => name),
  );
  expect(names.filter((name) => !publishedPackages.some(({ manifest }) => manifest.name === name))).toEqual([]);
});

test("a changelog entry is the changeset's text without a commit", async () => {
  const { getReleaseLine, getDependencyReleaseLine } = (await import(join(root, "scripts/changelog.mjs"))) as Changelog;
  const change = { commit: "0123456789abcdef", summary: "A first line.\n\n- a point\n  of two lines\n" };
  expect(getReleaseLine(change)).toBe("- A first line.\n\n  - a point\n    of two lines");
  const core = { name: "@laconic/core", oldVersion: "0.1.0", newVersion: "0.2.0" };
  expect(getDependencyReleaseLine([change], [core, { ...core, name: "@laconic/gspo" }])).toBe(
    "- Goes with `@laconic/core` 0.2.0, `@laconic/gspo` 0.2.0.",
  );
  expect(getDependencyReleaseLine([change], [{ ...core, oldVersion: "0.0.0", newVersion: "0.1.0" }])).toBe("");
});

test("release:version writes a changelog into every package, all of one version", async () => {
  const folder = await temporaryFolder();
  const needed = repositoryFiles().filter(
    (path) =>
      /^(package\.json|pnpm-workspace\.yaml|scripts\/changelog\.mjs|\.changeset\/.*)$/u.test(path) ||
      /^[^/]+(\/[^/]+)?\/package\.json$/u.test(path),
  );
  for (const path of needed) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(join(root, path), join(folder, path));
  }
  // Between a release and the next change no changeset waits.
  if (waiting.length === 0)
    await writeFile(join(folder, ".changeset/change.md"), `---\n"@laconic/core": minor\n---\n\nA change.\n`);
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await promisify(execFile)("git", ["init", "-q"], { cwd: folder });
  const cli = join(root, "node_modules/@changesets/cli/bin.js");
  await promisify(execFile)(process.execPath, [cli, "version"], { cwd: folder });
  const versions = await Promise.all(
    publishedPackages.map(async ({ folder: text }) => {
      const manifest = await readFile(join(folder, text, "package.json"), "utf8");
      const { name, version } = JSON.parse(manifest) as { name: string; version: string };
      const changelog = await readFile(join(folder, text, "CHANGELOG.md"), "utf8");
      expect(changelog.startsWith(`# ${name}\n\n## ${version}\n`), changelog.slice(0, 80)).toBe(true);
      expect(changelog).not.toMatch(/\b[0-9a-f]{7,40}:/u);
      return version;
    }),
  );
  expect(new Set(versions).size).toBe(1);
});

interface Changelog {
  getReleaseLine(change: object): string;
  getDependencyReleaseLine(changes: readonly object[], updated: readonly object[]): string;
}

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { permissions?: Readonly<Record<string, string>>; steps: readonly Step[] }>>;
}

describe("workflows", () => {
  const { scripts } = JSON.parse(readText("package.json")) as { scripts: Readonly<Record<string, string>> };
  const workflow = (name: string): Workflow => parse(readText(`.github/workflows/${name}`)) as Workflow;
  const stepsOf = (name: string): readonly Step[] => Object.values(workflow(name).jobs).flatMap(({ steps }) => steps);

  test.each(readdirSync(join(root, ".github/workflows")))("%s runs existing commands", (name) => {
    const commands = stepsOf(name).flatMap((step) => [step.run, step.with?.["version"], step.with?.["publish"]]);
    const knownNames = commands
      .filter((command) => command !== undefined)
      .map((command) => {
        const [, script = ""] = /^npm (?:run )?([\w:-]+)(?: -- .*)?$/u.exec(command) ?? [];
        const isKnown =
          /^(?:sudo (?:sysctl|apt-get|env)|git config|cat|gh release upload) /u.test(command) ||
          Object.hasOwn(scripts, script);
        return isKnown || existsSync(join(root, command.replace(/ --\w+$/u, ""))) ? "known" : command;
      });
    expect(new Set(knownNames)).toEqual(new Set(["known"]));
  });

  test("publishing has provenance and permission for its signing token", () => {
    const { jobs } = workflow("release.yml");
    expect(jobs["release"]?.permissions).toEqual({
      contents: "write",
      "pull-requests": "write",
      "id-token": "write",
    });
    const env = stepsOf("release.yml").find(({ uses }) => uses?.startsWith("changesets/action@"))?.env;
    expect(env).toMatchObject({ NPM_CONFIG_PROVENANCE: "true", PNPM_CONFIG_PROVENANCE: "true" });
  });

  test("the action's version matches the lockfile's changesets", () => {
    const { version } = JSON.parse(readText("node_modules/@changesets/cli/package.json")) as { version: string };
    const [, action] = /changesets\/action@\w+ # v(\d+)/u.exec(readText(".github/workflows/release.yml")) ?? [];
    expect(Number(action)).toBe(Number.parseInt(version) - 1);
  });
});
