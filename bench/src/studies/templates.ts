// What each project of `laconic init --template` learns: before its examples, after them, and after its rewards, on test problems.
//   npx tsx bench/src/studies/templates.ts --out docs/results/templates.jsonl
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { machine } from "../measure.ts";
import { readOptions } from "../options.ts";
import { printRow } from "../rows.ts";

const { values: flags } = readOptions({
  options: {
    out: { type: "string" },
    seeds: { type: "string", default: "1,2,3" },
    templates: { type: "string", default: "chat,tools,data,self-play,environment" },
  },
});

const app = fileURLToPath(new URL("../../../apps/trainer/", import.meta.url));
const run = promisify(execFile);

/** Seconds of processes that this one started and that have ended, on Linux: a busy machine does not lengthen them. */
function processorOfChildren(): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

interface Measured {
  readonly accuracy: number;
  readonly tokens: number;
  readonly measures?: Readonly<Record<string, number>>;
}

/** A project as it is written, beside this repository's packages; the warm start is computed anew. */
async function learned(template: string, seed: string): Promise<Record<string, unknown>> {
  const folder = await mkdtemp(join(tmpdir(), "laconic-template-"));
  try {
    const laconic = (...words: string[]) =>
      run(process.execPath, [join(app, "assets", "laconic.mjs"), ...words], {
        cwd: folder,
        env: { ...process.env, XDG_CACHE_HOME: join(folder, "cache") },
        maxBuffer: 2 ** 26,
      });
    await laconic("init", "--yes", ".", "--template", template);
    await mkdir(join(folder, "node_modules"));
    await symlink(app, join(folder, "node_modules", "laconic"));
    await symlink(join(app, "node_modules", "@laconic"), join(folder, "node_modules", "@laconic"));
    const [began, used] = [performance.now(), processorOfChildren()];
    const { stdout } = await laconic("train", `train.seed=${seed}`, "--json");
    const seconds = { wall: (performance.now() - began) / 1000, processor: processorOfChildren() - used };
    const result = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Record<string, Measured>;
    const states = ["before", "afterWarmStart", "after"].map((state) => {
      const { accuracy, tokens, measures } = result[state] as Measured;
      return [state, { accuracy, tokens, ...(measures && { measures }) }];
    });
    return { template, seed, ...Object.fromEntries(states), seconds };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

for (const template of flags.templates.split(","))
  for (const seed of flags.seeds.split(",")) {
    printRow(flags.out, { bench: "templates", ...(await learned(template, seed)), ...machine() });
  }
