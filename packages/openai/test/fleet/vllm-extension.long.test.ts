import { spawnSync } from "node:child_process";
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { conformanceConfig } from "@laconic/engine/testing";
import { vllmExtensionFolder } from "@laconic/openai/fleet";
import { expect, test } from "vitest";
import { onFakes } from "./on-fakes.ts";

const python = process.env["LACONIC_PYTHON"] ?? "python3";
const hasTorch = spawnSync(python, ["-c", "import torch, safetensors"]).status === 0;
const whole = { kind: "config", config: conformanceConfig, seed: 2 } as const;
const edited = (from: string, to: string) => async (file: string) =>
  writeFile(file, (await readFile(file, "latin1")).replaceAll(from, to), "latin1");

const damages = [
  [edited("layers.0.self_attn.q_proj", "layers.0.self_attn.x_proj"), /KeyError: .*x_proj/u],
  [edited('"model.norm.weight"', '"model.norm.other1"'), /model\.norm/u],
  [edited('"F64"', '"I64"'), /TypeError: .*torch\.int64/u],
  [(file: string) => rm(file), /no safetensors file here/u],
] as const;

test.skipIf(!hasTorch)(
  "vLLM's worker extension loads a published model, and names faults (LACONIC_PYTHON)",
  async () => {
    const { model } = await onFakes({ source: whole });
    const { path } = await model.published();
    for (const [index, [damage]] of damages.entries()) {
      await cp(path, `${path}-${index}`, { recursive: true });
      await damage(join(`${path}-${index}`, "model.safetensors"));
    }
    const folders = [path, ...damages.map((_, index) => `${path}-${index}`)];
    const script = join(import.meta.dirname, "vllm_extension.py");
    const { stdout, stderr } = spawnSync(python, [script, vllmExtensionFolder, ...folders], { encoding: "utf8" });
    const rows = stdout.split("\n").filter(Boolean);
    expect(
      rows.map((row) => JSON.parse(row) as unknown),
      stderr,
    ).toEqual([
      { answer: { version: "named", error: null }, calls: ["config", "initialize", "finalize"], equal: true },
      ...damages.map(([, message]) => ({
        answer: { version: null, error: expect.stringMatching(message) as string },
        calls: expect.not.arrayContaining(["finalize"]) as string[],
        equal: false,
      })),
    ]);
  },
);
