import { mkdir, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { recordingTerminal } from "../../test/recording-terminal.ts";
import { main } from "../main.ts";
import { expectRefused, laconic, type CommandOutput } from "../../test/laconic.ts";

const files = [".gitignore", "README.md", "package.json", "run.config.ts", "task.test.ts", "task.ts", "tsconfig.json"];

let folder = "";
beforeEach(async () => {
  folder = await temporaryFolder();
});

const init = (...words: readonly string[]): Promise<CommandOutput> => laconic("init", ...words);

async function answered(
  lines: readonly string[],
  ...words: readonly string[]
): Promise<{ code: number; asked: string[]; err: string }> {
  const terminal = recordingTerminal();
  const asked: string[] = [];
  const left = [...lines];
  const question = async (text: string): Promise<string | null> => {
    asked.push(text);
    return left.shift() ?? null;
  };
  const code = await main(["init", ...words], { terminal: { ...terminal, question } });
  return { code, asked, err: terminal.err.join("\n") };
}

const written = (...path: readonly string[]): Promise<string> => readFile(join(folder, ...path), "utf8");

describe("a written project", () => {
  test("has three files to read, their requirements and the next steps", async () => {
    const { code, out } = await init("--yes", join(folder, "My Team"));
    expect(code).toBe(0);
    expect((await readdir(join(folder, "My Team"))).toSorted()).toEqual(files);
    expect(out).toContain("npx @laconic/cli train");
    expect(JSON.parse(await written("My Team", "package.json"))).toMatchObject({
      name: "my-team",
      private: true,
      type: "module",
      engines: { node: ">=20.19" },
    });
    expect((await written("My Team", "README.md")).split("\n")[0]).toBe("# my-team");
    for (const file of files) expect(await written("My Team", file)).not.toContain("{{");
  });

  test("is written into an existing folder next to unrelated files", async () => {
    await mkdir(join(folder, ".git"));
    expect((await init(folder, "-y")).code).toBe(0);
    expect((await readdir(folder)).toSorted()).toEqual([".git", ...files]);
  });

  test("accepts a name and steps, and prints one line of JSON", async () => {
    const { code, out } = await init(folder, "--name", "@me/team", "--steps", "5", "--json");
    expect(code).toBe(0);
    const result = JSON.parse(out) as { folder: string; name: string; files: string[]; next: string[] };
    expect([result.folder, result.name, result.files.toSorted()]).toEqual([folder, "@me/team", files]);
    expect(result.next).toContain("npm install");
    expect(await written("run.config.ts")).toContain("    steps: 5,\n");
  });
});

describe("questions of init", () => {
  test("have defaults", async () => {
    const { code, asked } = await answered(["", "", ""], "--yes=false", join(folder, "a"));
    expect(code).toBe(0);
    expect(asked).toEqual(["Name in package.json (a): ", "Steps of training (60): "]);
    expect(await written("a", "run.config.ts")).toContain("steps: 60,");
  });

  test("are repeated after an invalid answer", async () => {
    const { code, asked, err } = await answered([join(folder, "b"), "No Name", "yes", "0", "12"]);
    expect(code).toBe(0);
    expect(asked.map((text) => text.split(" ")[0])).toEqual(["Folder", "Name", "Name", "Steps", "Steps"]);
    expect(err).toContain("npm allows lower-case letters");
    expect(err).toContain("0 is not a whole number from 1");
    expect(JSON.parse(await written("b", "package.json"))).toMatchObject({ name: "yes" });
    expect(await written("b", "run.config.ts")).toContain("steps: 12,");
  });

  test("are skipped with --yes and for given options", async () => {
    expect((await answered([], "--yes", join(folder, "c"))).asked).toEqual([]);
    expect((await answered([], join(folder, "d"), "--name", "d", "--steps", "3")).asked).toEqual([]);
  });

  test("leave no files if unanswered", async () => {
    expect((await answered(["e"], join(folder, "e"))).code).toBe(130);
    expect(await readdir(folder)).toEqual([]);
  });

  test("are skipped for an occupied folder", async () => {
    await writeFile(join(folder, "task.ts"), "mine");
    const { code, asked } = await answered(["x"], folder);
    expect([code, asked]).toEqual([2, []]);
  });
});

describe("init rejects without writing", () => {
  const refused = (reason: string, ...words: readonly string[]): Promise<void> =>
    expectRefused(["init", "--yes", ...words], reason);

  test("existing files, names them all and leaves them unchanged", async () => {
    await writeFile(join(folder, "package.json"), "mine");
    await symlink("nowhere", join(folder, "task.ts"));
    await refused("task.ts, package.json already exist", folder);
    expect(await written("package.json")).toBe("mine");
    expect((await readdir(folder)).toSorted()).toEqual(["package.json", "task.ts"]);
  });

  test("rejects a file as a folder and a folder inside a file", async () => {
    await writeFile(join(folder, "file"), "mine");
    await refused("is a file; name a folder", join(folder, "file"));
    await refused("cannot be written: ENOTDIR", join(folder, "file", "sub"));
    expect(await written("file")).toBe("mine");
  });

  test.runIf(process.platform === "linux")("a folder without write permission", () =>
    refused("/proc/laconic/project cannot be written: ENOENT", "/proc/laconic/project"),
  );

  // Linux takes paths of 4,095 bytes: task.ts fits, run.config.ts does not.
  test.runIf(process.platform === "linux")("a folder where writing fails halfway", async () => {
    let deep = folder;
    for (let left = 4095 - "/task.ts".length - folder.length; left > 1; left -= Math.min(200, left))
      deep += `/${"d".repeat(Math.min(200, left) - 1)}`;
    await refused("the written files were removed", deep);
    expect(await readdir(folder)).toEqual([]);
  });

  test.each([
    [["--name", "My Team"], "--name"],
    [["--steps", "many"], "--steps is many"],
    [["--steps", "0"], "--steps is 0"],
    [["--force"], "unknown flag --force"],
    [["one", "two"], 'unexpected argument "two"'],
    [[""], "the folder's name is empty"],
  ])("%j", async (words, says) => {
    const home = process.cwd();
    process.chdir(folder);
    onTestFinished(() => process.chdir(home));
    await refused(says, ...words);
    expect(await readdir(folder)).toEqual([]);
  });
});
