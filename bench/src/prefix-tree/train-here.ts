import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { python, root, whyFailed } from "../processes.ts";
import { qwenChat, smallModel } from "../servers/small-model.ts";

/** A random model of one layer whose tokenizer learned GSM8K's texts: its folder. */
export async function benchmarkModel(folder: string): Promise<string> {
  const model = join(folder, "model");
  const texts = readFileSync(join(process.env["LACONIC_DATA"] ?? "", "gsm8k/train.jsonl"), "utf8").split("\n");
  await smallModel(model, python, texts, 4096, qwenChat);
  return model;
}

/** `laconic train` of a preset with changes, one worker unless they say otherwise: null, or why it failed. */
export function laconicTrain(preset: string, run: string, changes: readonly string[]): string | null {
  const words = ["train", `preset:${preset}`, "--run", run, "--seed", "1", "device=wasm", "workers=1", ...changes];
  const { status, stderr } = spawnSync(process.execPath, [join(root, "scripts/laconic.mjs"), ...words], {
    encoding: "utf8",
    cwd: root,
  });
  return status === 0 ? null : whyFailed(stderr);
}
