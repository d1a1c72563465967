import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { laconic } from "../../test/laconic.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

/** Not every machine has all of them. */
const [bash, zsh, fish] = ["bash", "zsh", "fish"] as const;

const has = (shell: string): boolean => spawnSync(shell, ["--version"]).status === 0;

/** A folder for PATH with `laconic`, as an installation has it. */
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

/** A folder with two runs, one of a name that a shell would run, a model and a file. */
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

test("a shell that there is no completion for is refused with those that there are", async () => {
  expect((await laconic("completion", "tcsh")).err).toContain("known: bash, zsh, fish, schema");
});

function completedByBash(folder: string, path: string, script: string, lines: readonly string[]): string[][] {
  const ask = lines.map(
    (line) => `COMP_LINE='${line}' COMP_POINT=${line.length}; _laconic; printf '%s\\n' "\${COMPREPLY[@]}"; echo --;`,
  );
  const { stdout, stderr } = spawnSync(bash, ["--norc", "-c", `source '${script}'\n${ask.join("\n")}`], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH: path },
  });
  expect(stderr).toBe("");
  return stdout
    .split("--\n")
    .slice(0, -1)
    .map((part) => part.split("\n").filter((word) => word !== ""));
}

test.skipIf(!has(bash))(
  "bash: commands, flags, values, presets, and runs of any name, of which none is run",
  async () => {
    const folder = await workFolder();
    const script = await scriptOf("bash", folder);
    const path = await programs();
    const completed = (...lines: readonly string[]): string[][] => completedByBash(folder, path, script, lines);
    const [tr, sub, flags, cut, shells, preset, runs, deep, from, helped] = completed(
      "laconic tr",
      "laconic data s",
      "laconic train --s",
      "laconic analyze x --cut ",
      "laconic completion ",
      "laconic train preset:relay-h",
      "laconic eval ",
      "laconic view compare runs/one sw",
      "laconic data get --from ",
      "laconic help ev",
    );
    expect({ tr, sub, flags, cut, shells, preset, deep, from, helped }).toEqual({
      tr: ["train"],
      sub: ["show"],
      flags: ["--seed"],
      cut: ["drop", "halve"],
      shells: ["bash", "zsh", "fish", "schema"],
      // Behind the colon: readline has what is before it.
      preset: ["relay-hint"],
      deep: ["sweep/runs/a-0"],
      from: ["pinned", "hub"],
      helped: ["eval"],
    });
    expect(runs?.toSorted()).toEqual(["runs/$(touch pwned)", "runs/one"].concat("sweep/runs/a-0").toSorted());
    // Bash completes files itself if nothing fits.
    expect(completed("laconic train own", "laconic view report x --out ow")).toEqual([[], []]);
    expect(existsSync(join(folder, "pwned"))).toBe(false);
  },
);

test.skipIf(!has(zsh))("zsh reads its script", async () => {
  const { stderr, status } = spawnSync(zsh, ["-f", "-n", await scriptOf("zsh", await temporaryFolder())], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
});

test.skipIf(!has(fish))("fish completes", async () => {
  const folder = await workFolder();
  const script = await scriptOf("fish", folder);
  const lines = [
    "laconic tra",
    "laconic analyze x --cut ",
    "laconic train preset:relay-h",
    "laconic data s",
    "laconic eval ru",
  ];
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
  expect(words.map((each) => each.filter((word) => word !== ""))).toEqual([
    ["train"],
    ["drop", "halve"],
    ["preset:relay-hint"],
    ["show"],
    expect.arrayContaining(["runs/one", "runs/$(touch pwned)"]),
  ]);
  expect(existsSync(join(folder, "pwned"))).toBe(false);
});
