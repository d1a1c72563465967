import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { laconic } from "../../test/laconic.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import rows from "./scripts.cases.json" with { type: "json" };

const [bash, zsh, fish] = ["bash", "zsh", "fish"] as const;

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

async function programs(): Promise<string> {
  const folder = await temporaryFolder();
  const entry = fileURLToPath(new URL("../../assets/laconic.mjs", import.meta.url));
  await writeFile(join(folder, "laconic"), `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`, { mode: 0o755 });
  return `${folder}:${process.env["PATH"]}`;
}

async function scriptOf(shell: string, folder: string): Promise<string> {
  const file = join(folder, `laconic.${shell}`);
  const { code, out } = await laconic("completion", shell);
  expect(code).toBe(0);
  await writeFile(file, `${out}\n`);
  return file;
}

async function workFolder(): Promise<string> {
  const folder = await temporaryFolder();
  for (const run of ["runs/one", "runs/$(touch pwned)", "sweep/runs/a-0"]) {
    await mkdir(join(folder, run), { recursive: true });
    for (const file of ["config.json", "metrics.jsonl"]) await writeFile(join(folder, run, file), "");
  }
  await mkdir(join(folder, "model"));
  await writeFile(join(folder, "model", "config.json"), "");
  await writeFile(join(folder, "own.ts"), "");
  return folder;
}

test("rejects an unsupported shell and lists the supported ones", async () => {
  expect((await laconic("completion", "tcsh")).err).toContain("use one of: bash, zsh, fish, schema");
});

test.each(rows)("completes %j with %j", async (words, completed) => {
  const { out } = await laconic("completion", "words", "--", ...words);
  expect(out.split("\n").map((line) => line.split("\t")[0])).toEqual(completed);
});

test.skipIf(!has(bash))("bash completes text after a colon, run names without executing them, and files", async () => {
  const folder = await workFolder();
  const script = await scriptOf("bash", folder);
  const lines = [
    "laconic train preset:relay-h",
    "laconic eval ",
    "laconic view compare runs/one sw",
    "laconic train own",
  ];
  const ask = lines.map(
    (line) => `COMP_LINE='${line}' COMP_POINT=${line.length}; _laconic; printf '%s\\n' "\${COMPREPLY[@]}"; echo --;`,
  );
  const { stdout, stderr } = spawnSync(bash, ["--norc", "-c", `source '${script}'\n${ask.join("\n")}`], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: await programs() },
  });
  expect(stderr).toBe("");
  const completed = stdout
    .split("--\n")
    .slice(0, -1)
    .map((part) => part.split("\n").filter((word) => word !== ""));
  // Readline has what is before the colon, and completes files itself if nothing fits.
  expect(completed.map((words) => words.toSorted())).toEqual([
    ["relay-hint"],
    ["runs/$(touch pwned)", "runs/one", "sweep/runs/a-0"],
    ["sweep/runs/a-0"],
    [],
  ]);
  expect(existsSync(join(folder, "pwned"))).toBe(false);
});

test.skipIf(!has(zsh))("zsh parses its script", async () => {
  const { stderr, status } = spawnSync(zsh, ["-f", "-n", await scriptOf("zsh", await temporaryFolder())], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
});

test.skipIf(!has(fish))("fish completes commands", async () => {
  const folder = await workFolder();
  const script = await scriptOf("fish", folder);
  const lines = ["laconic train preset:relay-h", "laconic eval ru"];
  const asked = lines.map((line) => `complete -C '${line}'; echo end-of-words`).join("; ");
  const { stdout } = spawnSync(fish, ["--no-config", "-c", `source '${script}'; ${asked}`], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: await programs() },
  });
  const words = stdout
    .split("end-of-words\n")
    .slice(0, -1)
    .map((part) => part.split("\n").map((line) => line.split("\t")[0]));
  expect(words.map((group) => group.filter((word) => word !== ""))).toEqual([
    ["preset:relay-hint"],
    expect.arrayContaining(["runs/one", "runs/$(touch pwned)"]),
  ]);
  expect(existsSync(join(folder, "pwned"))).toBe(false);
});
