import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findPython } from "@laconic/core/platform";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { defaultFiles } from "#platform";
import { openSafetensorsFile, writeSafetensorsFile } from "./safetensors-file.ts";
import type { TensorSource } from "../transformer/parameters.ts";
import { decodeSafetensors, type StoredTensor } from "./safetensors.ts";

let folder = "";
beforeEach(async () => {
  folder = await temporaryFolder();
});

const stored = new Map([
  ["é/matrix", { shape: [2, 3], values: Float64Array.of(0.1, -2, 3.5, 0, 1e300, -0) }],
  ["empty", { shape: [0, 4], values: new Float64Array() }],
  ["scalar", { shape: [], values: Float64Array.of(7) }],
]);
const sources = new Map<string, TensorSource>(
  Array.from(stored, ([name, { shape, values }]) => [name, { shape, read: () => Promise.resolve(values) }]),
);

async function readWhole(path: string): Promise<ReturnType<typeof decodeSafetensors>> {
  const file = await openSafetensorsFile(defaultFiles, path);
  const tensors = new Map<string, StoredTensor>();
  for (const [name, { shape, read }] of file.tensors) tensors.set(name, { shape, values: await read() });
  await file.close();
  return { tensors, metadata: file.metadata };
}

test("float64 is read back bit for bit, from a file and from memory alike", async () => {
  const path = join(folder, "doubles.safetensors");
  await writeSafetensorsFile(defaultFiles, path, sources, "F64", { steps: "12" });
  const file = await readWhole(path);
  expect(file.tensors).toEqual(stored);
  expect(file.metadata).toEqual({ format: "pt", steps: "12" });
  expect(decodeSafetensors(await readFile(path), path)).toEqual(file);
});

test("float32 is rounded once", async () => {
  const path = join(folder, "floats.safetensors");
  await writeSafetensorsFile(defaultFiles, path, sources, "F32");
  const { tensors } = await readWhole(path);
  expect(tensors.get("é/matrix")?.values).toEqual(Float32Array.of(0.1, -2, 3.5, 0, Infinity, -0));
});

test("an error of reading or writing names the file", async () => {
  await expect(readWhole(join(folder, "none"))).rejects.toFailWith("checkpoint_missing");
  const path = join(folder, "no", "such", "folder");
  await expect(writeSafetensorsFile(defaultFiles, path, sources, "F32")).rejects.toFailWith("run_unwritable", {
    file: path,
  });
  await writeFile(join(folder, "short"), new Uint8Array(3));
  await expect(readWhole(join(folder, "short"))).rejects.toFailWith("weights_invalid");
});

const python = findPython();
const hasSafetensors = runPython("import safetensors, torch") !== null;

test.skipIf(!hasSafetensors)("Python's safetensors reads what is written, and the other way round", async () => {
  const [ours, theirs] = [join(folder, "ours.safetensors"), join(folder, "theirs.safetensors")];
  await writeSafetensorsFile(defaultFiles, ours, sources, "F64", { steps: "3" });
  const script = `
import sys, torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file
tensors = load_file(sys.argv[1])
assert safe_open(sys.argv[1], "pt").metadata() == {"format": "pt", "steps": "3"}
assert tensors["empty"].shape == (0, 4) and tensors["scalar"].item() == 7
matrix = tensors["é/matrix"]
assert matrix.dtype == torch.float64 and matrix[1, 1] == 1e300, matrix
small = torch.tensor([0.1, -2, 65504, 6e-8])
save_file({"f64": matrix, "f32": small, "f16": small.half(), "bf16": small.bfloat16()}, sys.argv[2])
`;
  expect(runPython(script, ours, theirs)).not.toBeNull();
  const { tensors } = await readWhole(theirs);
  expect(tensors.get("f64")).toEqual(stored.get("é/matrix"));
  expect(tensors.get("f32")?.values).toEqual(Float32Array.of(0.1, -2, 65504, 6e-8));
  expect(tensors.get("f16")?.values).toEqual(Float32Array.of(0.0999755859375, -2, 65504, 2 ** -24));
  expect(tensors.get("bf16")?.values).toEqual(Float32Array.of(0.10009765625, -2, 65536, 6.0070306062698364e-8));
});

/** Null when it fails. */
function runPython(script: string, ...args: readonly string[]): string | null {
  try {
    return execFileSync(python, ["-c", script, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return null;
  }
}
