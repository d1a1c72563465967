import { createHash } from "node:crypto";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nodeFileSystem } from "@laconic/trainer";
import { episodeMembers, writeEpisodeMembers } from "@laconic/trainer/testing";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

/** JSON that a test changes. */
export type Loose = ReturnType<typeof JSON.parse>;

/** A copy of a run folder, to be damaged. */
export async function copyOfRun(run: string): Promise<string> {
  const copy = join(await temporaryFolder(), "run");
  await cp(run, copy, { recursive: true });
  return copy;
}

/** Changes what is recorded of a step, and nothing else. */
export async function editStep(run: string, step: number, edit: (content: Loose) => void): Promise<void> {
  const members = await episodeMembers(nodeFileSystem, run);
  for (const { head, content } of members) if (head.step === step && head.kind === "step") edit(content);
  await writeEpisodeMembers(nodeFileSystem, run, members);
}

/** Changes the lines of a file that are kept; one for which `edit` says false goes. */
export async function editLines(run: string, file: string, edit: (line: Loose) => void | false): Promise<void> {
  const lines = (await readFile(join(run, file), "utf8")).trimEnd().split("\n");
  const kept = lines.map((line): Loose => JSON.parse(line)).filter((line) => edit(line) !== false);
  await writeFile(join(run, file), kept.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

/** Changes a JSON file. */
export async function editJson(path: string, edit: (json: Loose) => void): Promise<void> {
  const json: Loose = JSON.parse(await readFile(path, "utf8"));
  edit(json);
  await writeFile(path, JSON.stringify(json));
}

/** Changes packed numbers, as float64. */
export function editNumbers(packed: Loose, edit: (values: number[]) => void): void {
  const [size, bytes] = packed.f32 === undefined ? [8, packed.f64] : [4, packed.f32];
  const buffer = Buffer.from(bytes as string, "base64");
  const values = Array.from({ length: buffer.length / size }, (_, i) =>
    size === 4 ? buffer.readFloatLE(4 * i) : buffer.readDoubleLE(8 * i),
  );
  edit(values);
  delete packed.f32;
  packed.f64 = Buffer.from(Float64Array.from(values).buffer).toString("base64");
}

/** Puts files of one checkpoint into another as if they had been saved there. */
export async function swapFiles(from: string, to: string, files: readonly string[]): Promise<void> {
  for (const file of files) await cp(join(from, file), join(to, file));
  const digests: Loose = {};
  for (const file of files) {
    const bytes = await readFile(join(to, file));
    digests[file] = { bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
  }
  await editJson(join(to, "manifest.json"), (manifest) => Object.assign(manifest.files, digests));
}
