import { existsSync } from "node:fs";
import { copyFile, mkdir, readdir, writeFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { startFakeHub } from "@laconic/hub/testing";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { recordingTerminal } from "../../test/recording-terminal.ts";
import { convertedFolder, openModelFolder } from "@laconic/runtime/models";
import { cli, outputOf } from "../../test/laconic.ts";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";

let location = "";
let into = "";
beforeEach(async () => {
  location = await temporaryFolder();
  into = join(location, "cache");
  vi.stubEnv("XDG_CACHE_HOME", join(location, "user"));
  onTestFinished(() => void vi.unstubAllEnvs());
});

async function folderWith(names: readonly string[]): Promise<string> {
  const folder = join(location, "model");
  await mkdir(folder);
  for (const name of names) await writeFile(join(folder, name), "");
  return folder;
}

test.each([["config.json", "stories.bin"], ["model.safetensors"], ["pytorch_model.bin"]])(
  "leaves a folder with %s unchanged",
  async (...names) => {
    const folder = await folderWith(names);
    expect(await convertedFolder(folder, into, () => undefined)).toBe(folder);
    expect(existsSync(into)).toBe(false);
  },
);

test.each([
  [["a.bin", "b.bin", "tok512.bin"], /holds 2 checkpoints of llama2\.c: a\.bin, b\.bin; name one of them/],
  [["a.bin"], /has no tokenizer for a\.bin; add the model's tokenizer\.bin/],
  [["a.bin", "tok512.bin", "tokenizer.bin"], /holds several tokenizers: tok512\.bin, tokenizer\.bin/],
  [["a.bin", "tok512.bin"], /a\.bin has 0 bytes, fewer than the header/],
] as const)("rejects %j and leaves no files", async (names, message) => {
  await expect(convertedFolder(await folderWith(names), into, () => undefined)).rejects.toThrow(message);
  expect(existsSync(into) ? await readdir(into) : []).toEqual([]);
});

const stories = join(process.env["LACONIC_DATA"] ?? "", "stories260k");
const files = { "stories260K.bin": "stories260K.c64.bin", "tok512.bin": "tok512.bin" } as const;

describe.skipIf(!existsSync(join(stories, "tok512.bin")))("the story model (needs LACONIC_DATA)", () => {
  test("is converted once, as a folder and as a file", async () => {
    const folder = await folderWith([]);
    for (const [name, source] of Object.entries(files)) await copyFile(join(stories, source), join(folder, name));
    const terminal = recordingTerminal();
    const opened = await openModelFolder(folder, terminal);
    expect(opened).toMatchObject({ pinned: folder, name: "model" });
    expect((await readdir(opened.folder)).toSorted()).toEqual([
      "config.json",
      "generation_config.json",
      "model.safetensors",
      "tokenizer.json",
      "tokenizer_config.json",
    ]);
    expect(terminal.err.at(-1)).toMatch(/^stories260K\.bin \(llama2\.c, sha256 b0a507e7ad0f\) is read as /);
    const again = recordingTerminal();
    expect((await openModelFolder(join(folder, "stories260K.bin"), again)).folder).toBe(opened.folder);
    expect(again.err).toEqual([]);
  });

  test("is fetched from a hub folder, checked, pinned and found offline", async () => {
    const served = Object.entries(files).map(async ([name, source]) => [
      `stories260K/${name}`,
      { bytes: new Uint8Array(await readFile(join(stories, source))), large: name.startsWith("stories") },
    ]);
    const all = Object.fromEntries(await Promise.all(served)) as Parameters<typeof startFakeHub>[1];
    const hub = await startFakeHub("owner/tiny", {
      ...all,
      "stories15M.bin": { bytes: new Uint8Array(9), large: true },
    });
    onTestFinished(() => hub.close());
    vi.stubEnv("HF_HUB_CACHE", join(location, "hub"));
    vi.stubEnv("HF_ENDPOINT", hub.endpoint);
    vi.stubEnv("HF_HUB_OFFLINE", "");
    const terminal = recordingTerminal();
    const { pinned, folder, name } = await openModelFolder("hub:owner/tiny/stories260K", terminal);
    expect({ pinned, name }).toEqual({
      pinned: `hub:owner/tiny/stories260K@${hub.commit}`,
      name: "owner/tiny/stories260K",
    });
    expect(terminal.err.some((line) => line.includes("100 %"))).toBe(true);
    expect(hub.seen.filter(({ path }) => path.includes("stories15M"))).toEqual([]);
    vi.stubEnv("HF_HUB_OFFLINE", "1");
    expect(await openModelFolder(pinned, recordingTerminal())).toEqual({ pinned, folder, name });
  });

  test("trains from the llama2.c format", async () => {
    const folder = await folderWith([]);
    for (const [name, source] of Object.entries(files)) await copyFile(join(stories, source), join(folder, name));
    const short = ["train.steps=1", "train.problemsPerStep=2", "train.evaluation.problems=8", "workers=1"];
    const words = cli`train preset:story-tellers model=${folder} warmStart=null ${short} --seed 1 --json`;
    const out = await outputOf(...words, "--run", join(location, "run"));
    const result = JSON.parse(out) as Record<string, Record<string, { tokens: number }>>;
    const families = ["known/scene", "name/3-4", "before", "after", "test"];
    expect(Object.keys(result)).toEqual(expect.arrayContaining(families));
    expect(result["name/3-4"]?.["before"]?.tokens).toBeGreaterThan(0);
  });
});

test.each(["hub:owner/tiny/../x", "hub:owner/tiny/a//b", "hub:owner/tiny/.git"])("rejects %s", async (input) => {
  await expect(openModelFolder(input, recordingTerminal())).rejects.toFailWith("input_invalid");
});
