import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { machine, print } from "./measure.ts";

/**
 * CPU milliseconds that command lines take until they end, all processes of Node together (npm's own too), median of five after one:
 * `npx tsx bench/src/cli-start.ts`, and of an installed package `npx tsx bench/src/cli-start.ts node_modules/laconic`.
 */
const root = fileURLToPath(new URL("../../", import.meta.url));
const [installed] = process.argv.slice(2);
const entry = installed === undefined ? "apps/trainer/assets/laconic.mjs" : join(installed, "assets", "laconic.mjs");
if (!existsSync(join(root, entry)) && !existsSync(entry)) throw new Error(`there is no ${entry}`);

const reported =
  "process.on('exit',()=>{const{user,system}=process.cpuUsage();process._rawDebug('cpu '+(user+system))})";
const options = `--import data:text/javascript,${encodeURIComponent(reported)}`;

function cpuMs(program: string, words: readonly string[]): number {
  const { stderr } = spawnSync(program, [...words], {
    cwd: installed === undefined ? root : process.cwd(),
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: options },
  });
  const times = [...stderr.matchAll(/^cpu (\d+)$/gmu)].map(([, microseconds]) => Number(microseconds) / 1000);
  if (times.length === 0) throw new Error(`${program} ${words.join(" ")} did not say what it took: ${stderr}`);
  return times.reduce((sum, each) => sum + each, 0);
}

function median(program: string, words: readonly string[]): number {
  cpuMs(program, words);
  const times = Array.from({ length: 5 }, () => cpuMs(program, words)).toSorted((a, b) => a - b);
  return Math.round(times[2] as number);
}

const lines = [["--help"], ["--version"], ["help"], ["trian"], ["completion", "bash"], ["ls"], ["help", "train"]];
const of = installed === undefined ? "repository" : "package";
print("cli-start", { ...machine(), of, command: "nothing", cpuMs: median(process.execPath, ["-e", "0"]) });
for (const words of lines)
  print("cli-start", { of, command: words.join(" "), cpuMs: median(process.execPath, [entry, ...words]) });
if (installed === undefined)
  print("cli-start", {
    of: "npm run",
    command: "--help",
    cpuMs: median("npm", ["run", "-s", "laconic", "--", "--help"]),
  });
