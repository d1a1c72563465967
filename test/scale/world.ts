import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { root } from "../workspace.ts";

export const hasPython: boolean = spawnSync("python3", ["-c", "import sqlite3"]).status === 0;

/** Machines that share `shared/`, with stand-ins for the programs of recipes. */
export interface World {
  readonly folder: string;
  path(name: string): string;
  start(command: readonly string[], env: Readonly<Record<string, string>>, cwd: string): Started;
  lose(): void;
  steps(): number[];
  /** Lets a trainer wait after this step; null for none. */
  pauseAfter(step: number | null): void;
  /** Resolves when the run has this many steps, and the list of its checkpoints is as new as its last one. */
  reached(run: string, steps: number, list?: string): Promise<void>;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<number>;
  readonly output: () => string;
}

const programs = ["sleep", "scontrol", "srun", "curl", "uv", "ray", "npx"];

export async function makeWorld(): Promise<World> {
  const folder = await temporaryFolder();
  const path = (name: string): string => join(folder, name);
  const bin = path("project/node_modules/.bin");
  for (const name of ["bin", "skyrl", "shared/checkpoints", "home"]) mkdirSync(path(name), { recursive: true });
  mkdirSync(bin, { recursive: true });
  symlinkSync(join(root, "docs"), path("project/docs"));
  const shim = (file: string, name: string): void =>
    writeFileSync(
      file,
      `#!/bin/sh\nexec "${process.execPath}" "${join(import.meta.dirname, "programs.mjs")}" ${name} "$@"\n`,
      {
        mode: 0o755,
      },
    );
  for (const name of programs) shim(path(`bin/${name}`), name);
  shim(join(bin, "laconic"), "laconic");
  const lines = (name: string): string[] =>
    existsSync(path(name)) ? readFileSync(path(name), "utf8").split("\n").filter(Boolean) : [];
  const lose = (): void => {
    for (const group of lines("groups")) {
      try {
        process.kill(-Number(group), "SIGKILL");
      } catch {
        // The group has ended.
      }
    }
    for (const name of ["ray.json", "ray-nodes"]) rmSync(path(name), { force: true });
  };
  onTestFinished(lose);
  return {
    folder,
    path,
    lose,
    start(command, env, cwd) {
      const child = spawn(command[0] as string, command.slice(1), {
        cwd,
        detached: true,
        env: {
          HOME: path("home"),
          WORLD: folder,
          PROJECT_BIN: bin,
          ...env,
          PATH: `${path("bin")}:${process.env["PATH"]}`,
        },
      });
      writeFileSync(path("groups"), `${child.pid}\n`, { flag: "a" });
      let text = "";
      for (const stream of [child.stdout, child.stderr])
        stream?.on("data", (data: Buffer) => (text += data.toString()));
      const ended = new Promise<number>((resolve) => {
        child.on("exit", (code, signal) => resolve(code ?? (signal === "SIGTERM" ? 143 : 137)));
      });
      return { child, ended, output: () => text };
    },
    steps: () => lines("steps").map(Number),
    pauseAfter: (step) => writeFileSync(path("pause"), JSON.stringify(step)),
    async reached(run, steps, list) {
      const time = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      const isOld = (): boolean => list !== undefined && time(path(list)) < time(path(`${run}/LATEST`));
      while (lines(`${run}/metrics`).length < steps || isOld()) await delay(10);
    },
  };
}
