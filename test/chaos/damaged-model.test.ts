import { cp, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { command } from "./command.ts";
import { damages, filesIn } from "./damage.ts";
import { complaintAbout, done, temporary } from "./laconic-process.ts";
import { smallSettings } from "./small-run.ts";

let model = "";
let files: readonly string[];
beforeAll(async () => {
  model = join(await temporary(), "model");
  const words = ["relay", "warm-start", "--out", model, "--steps", "1", "--batch", "2", "--device", "wasm"];
  await done(command(words));
  files = await filesIn(model);
});

const trainOn = (folder: string, run: string): string[] => [
  "train",
  "preset:relay-quickstart",
  "--device",
  "wasm",
  "--run",
  run,
  `model=${folder}`,
  ...smallSettings.map((word) => word.replace(/(?<=train\.steps=|problems=).*/u, "1")),
];

test.each(Object.entries(damages).map(([name, damage]) => ({ name, damage })))(
  "a model with a file $name is rejected in one line, or trains",
  async ({ damage }) => {
    expect(files).toEqual(expect.arrayContaining(["config.json", "model.safetensors"]));
    for (const [j, file] of files.entries()) {
      const folder = await temporary();
      const damaged = join(folder, "model");
      await cp(model, damaged, { recursive: true });
      await damage(join(damaged, file), join(damaged, files[(j + 1) % files.length] as string));
      const ended = await command(trainOn(damaged, join(folder, "run")));
      expect([file, complaintAbout(ended)]).toEqual([file, null]);
      await rm(folder, { recursive: true });
    }
  },
);

test("rejects a model folder that links to itself in one line", async () => {
  const loop = join(await temporary(), "loop");
  await symlink(loop, loop);
  for (const words of [trainOn(loop, `${loop}-run`), ["serve", loop]]) {
    const ended = await command(words);
    expect([ended.code, complaintAbout(ended)]).toEqual([2, null]);
  }
});
