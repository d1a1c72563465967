import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { recordingTerminal } from "../apps/trainer/test/recording-terminal.ts";
import { main } from "../apps/trainer/src/main.ts";
import { publishedPackages, readText, repositoryFiles, root } from "./workspace.ts";
import { sharedFolder } from "./temporary-folder.ts";

const pages = [
  "README.md",
  "CONTRIBUTING.md",
  "examples/README.md",
  ...publishedPackages.map(({ folder }) => `${folder}/README.md`),
  ...repositoryFiles().filter((path) => /^docs\/.*\.md$/u.test(path)),
];

/** Commands of all shell blocks: comments and files that take the output away, continued lines joined. */
const commands = pages.flatMap((page) =>
  [...readText(page).matchAll(/^```sh\n(.*?)^```$/gms)].flatMap((match) =>
    (match[1] ?? "")
      .replaceAll("\\\n", " ")
      .split("\n")
      .map((line) => ({ page, line: line.replace(/\s#.*$|\s> \S+\s*$/u, "").trim() }))
      .filter(({ line }) => line !== ""),
  ),
);

/** How a command of the command line is run here, and what shows that its words are right. */
interface Trial {
  readonly more?: readonly string[];
  readonly code: number;
  readonly says?: string;
}

/** Nothing here trains for minutes, asks a network or listens; what a command needs first is refused as missing. */
const trials: readonly (readonly [start: RegExp, trial: Trial])[] = [
  [/^init\b/, { code: 0 }],
  [/^(quickstart|train)\b.*--resume/, { code: 2, says: "has no run" }],
  [/^train examples\/(my-team\/)?run\.config\.ts\b/, { code: 2, says: "not found" }],
  [/^train\b.*device=cuda --fit\b/, { code: 2, says: "the free memory of cuda is unknown" }],
  [/^(quickstart|train)\b/, { more: ["--dry-run"], code: 0 }],
  [/^plan preset:relay-quickstart engine=tinker/, { code: 0 }],
  [/^plan\b.*(engine=tinker|preset:agent-gspo)/, { code: 2, says: "is not in the cache" }],
  [/^plan\b/, { more: ["--device", "wasm", "--tflops", "1"], code: 0 }],
  [/^view ls\b/, { code: 0, says: "no run in" }],
  [/^analyze probe\b.*--file\b/, { code: 2, says: "not found" }],
  [/^view playground\b/, { more: ["--help"], code: 0 }],
  [/^view report\b/, { code: 2, says: "has no run" }],
  [/^(eval|analyze|verify|view (compare|export|send))\b/, { code: 2, says: "has no run" }],
  [/^view\b/, { code: 2, says: "not found" }],
  [/^pretrain\b/, { more: ["--help"], code: 0 }],
  [/^reproduce --small\b/, { more: ["--dry-run"], code: 0 }],
  [/^sweep\b/, { more: ["--seeds", "none"], code: 2, says: "--seeds is none" }],
  [/^serve --train --resume\b/, { code: 2, says: "has no run" }],
  [/^serve --train\b/, { code: 2, says: "run.json not found" }],
  [/^serve runs\//, { code: 2, says: "model folder not found" }],
  [/^serve hub:/, { code: 2, says: "is not in the cache" }],
  [/^data ls\b/, { code: 0 }],
  [/^data check\b/, { code: 1, says: "no benchmark file" }],
  [/^data get\b.*--from hub/, { more: ["--offline"], code: 2, says: "is not in the cache" }],
  [/^data get --exemplars\b/, { more: ["--offline", "--folder", "none"], code: 1 }],
  [
    /^data (get|show) (mbpp|gpqa|mmlu-pro|livecodebench)\b/,
    { more: ["--offline", "--folder", "none"], code: 2, says: "is not in the cache" },
  ],
  [/^data (get|show)\b/, { more: ["--offline", "--folder", "none"], code: 2, says: " not found" }],
  [/^bench\b.*=runs\//, { code: 2, says: "has no run" }],
  [/^bench --data '?hub:/, { more: ["--offline"], code: 2, says: "is not in the cache" }],
  [/^bench --data\b/, { code: 2, says: "file not found" }],
  [/^bench --tasks\b/, { code: 2, says: "has no run" }],
  [/^(bench|topology)\b.* \.\//, { code: 2, says: "not found" }],
  [/^bench\b.*--resume/, { code: 2, says: "has no bench" }],
  [/^reproduce\b.*--dry-run/, { code: 0 }],
  [/^reproduce\b.*--run-of/, { code: 2, says: "has no run" }],
  [/^reproduce\b/, { more: ["--offline", "--folder", "none"], code: 2, says: " not found" }],
  [/^bench --list\b/, { code: 0 }],
  [/^bench\b/, { more: ["--offline", "--folder", "none"], code: 2, says: " not found" }],
  [/^grade judge runs\//, { code: 2, says: "has no run" }],
  [/^grade judge\b/, { code: 2, says: "cannot be read" }],
  [/^grade\b/, { code: 0 }],
  [/^completion schema\b/, { code: 0 }],
  [/^doctor\b/, { more: ["--help"], code: 0 }],
  [/^serve weights\b/, { more: ["--help"], code: 0 }],
  [/^playground\b/, { more: ["--help"], code: 0 }],
  [/^meter\b/, { code: 0, says: "meter report runs/meter" }],
];

/** As a shell reads them: no quotes within a word here. */
function unquoted(words: string): string[] {
  return (words.match(/'[^']*'|"[^"]*"|\S+/gu) ?? []).map((word) => word.replace(/^(['"])(.*)\1$/u, "$2"));
}

const start = /^(?:npm run -s laconic -- |npx @laconic\/cli |laconic |npm start(?: --silent)?(?: -- |$))/u;
const ofCommandLine = commands.filter(({ line }) => start.test(line));
const folder = sharedFolder();
const home = process.cwd();

beforeAll(async () => {
  // `init` writes into this folder, so it is no link to the repository's.
  await mkdir(join(folder, "examples"));
  for (const name of await readdir(join(root, "examples")))
    await symlink(join(root, "examples", name), join(folder, "examples", name));
  const [configuration] = readText("docs/start.md").match(/(?<=^```ts\n)export default .*?(?=^```$)/ms) ?? [];
  await writeFile(join(folder, "run.config.ts"), configuration ?? "");
  await writeFile(
    join(folder, "cases.jsonl"),
    `{"id":"a","kind":"letter","gold":"B","prediction":"The answer is B.","verdict":true}\n`,
  );
  await copyFile(join(root, "package.json"), join(folder, "package.json"));
  process.chdir(folder);
  vi.stubEnv("HF_HOME", join(folder, "hub"));
  vi.stubEnv("HF_HUB_OFFLINE", "1");
  vi.stubEnv("LACONIC_DATA", join(folder, "data"));
});
beforeEach(async () => {
  for (const project of ["runs", "my-team", "examples/my-team", "examples/my-questions"])
    await rm(join(folder, project), { recursive: true, force: true });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  process.chdir(home);
});

describe("commands of the command line in READMEs and docs", () => {
  test.each(ofCommandLine)("$page: $line", async ({ line }) => {
    const input = line.replace(start, "");
    const words = (line.startsWith("npm start") ? `quickstart ${input}` : input).trim();
    const trial = trials.find(([pattern]) => pattern.test(words))?.[1];
    expect(trial, "a way to try this command").toBeDefined();
    const { more = [], code, says = "" } = trial as Trial;
    const terminal = recordingTerminal();
    expect([await main([...unquoted(words), ...more], { terminal }), terminal.err.at(-1) ?? ""]).toEqual([
      code,
      expect.stringContaining(says),
    ]);
  });
});

describe("other commands in READMEs and docs", () => {
  const scripts = (JSON.parse(readText("package.json")) as { scripts: Record<string, string> }).scripts;
  const ours = publishedPackages.flatMap(({ manifest }) => [
    manifest.name,
    ...Object.keys(manifest.peerDependencies ?? {}),
  ]);
  const installable = new Set(ours);
  test.each(commands.filter(({ line }) => !start.test(line)))("$page: $line", ({ line }) => {
    const [, script] = /^npm (?!install\b)(?:run )?(\w[\w:-]*)(?: |$)/u.exec(line) ?? [];
    const [, program] = /^(?:npx tsx (?:--\S+ )*|(?:[A-Z_]+=\S+ )+)([\w/.-]+)/u.exec(line) ?? [];
    const [, installed] = /^npm install((?: [\w@/.-]+)*)(?: #.*)?$/u.exec(line) ?? [];
    const registry =
      installed !== undefined
        ? installed.split(" ").every((word) => word === "" || installable.has(word.replace(/(?<!^)@[\d.]+$/u, "")))
        : script !== undefined
          ? Object.hasOwn(scripts, script)
          : program !== undefined
            ? existsSync(join(root, program))
            : /^(?:export [A-Z_]+=\S+|unzip relay-\S+\.zip|(?:git clone|python3 -m venv) .*)$/u.test(line);
    expect(registry).toBe(true);
  });
});
