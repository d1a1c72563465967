import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { recordingTerminal } from "../../apps/trainer/test/recording-terminal.ts";
import { main } from "../../apps/trainer/src/main.ts";
import { badFiles, badInputs, type BadInput } from "./bad-inputs.ts";

async function enterBadFolder(): Promise<() => Promise<void>> {
  const home = process.cwd();
  const folder = await mkdtemp(join(tmpdir(), "laconic-bad-"));
  for (const [name, content] of Object.entries(badFiles)) {
    const path = join(folder, name);
    await mkdir(name.endsWith("/") ? path : dirname(path), { recursive: true });
    if (!name.endsWith("/")) await writeFile(path, content);
  }
  process.chdir(folder);
  return async () => {
    process.chdir(home);
    await rm(folder, { recursive: true });
  };
}

async function complaintAbout({ words, says, code = 2, environment = {} }: BadInput): Promise<string | null> {
  const terminal = recordingTerminal();
  const before = Object.fromEntries(Object.keys(environment).map((name) => [name, process.env[name]]));
  Object.assign(process.env, environment);
  let ended: number;
  try {
    ended = await main(words, { terminal });
  } catch (error) {
    return `threw ${String(error)}`;
  } finally {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
  const printed = terminal.err.join("\n");
  const all = [...terminal.out, printed].join("\n");
  if (/^\s+at .+:\d+/m.test(all) || all.includes("unexpected error")) return `shows a stack: ${printed.slice(0, 2000)}`;
  if (ended !== code) return `ended with ${ended}, expected ${code}: ${printed.slice(0, 500)}`;
  if (!printed.includes(says)) return `does not say "${says}": ${printed.slice(0, 500)}`;
  const longest = Math.max(...terminal.err.map((line) => line.length));
  return longest > 4000 ? `says ${longest} characters` : null;
}

let leave = async (): Promise<void> => undefined;
beforeAll(async () => {
  leave = await enterBadFolder();
});
afterAll(() => leave());

const named = badInputs.map((input, i) => ({
  input,
  name: `${i + 1}: laconic ${input.words.map((word) => (word.length > 60 ? `${word.slice(0, 60)}…` : word)).join(" ")}`,
}));

test.each(named)("$name", async ({ input }) => {
  expect(await complaintAbout(input)).toBeNull();
});
