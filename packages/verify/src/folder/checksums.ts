import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "@laconic/core/files";
import { sortedJson, type Findings } from "../findings.ts";
import { isObject, type Json } from "../rules/closed-set.ts";
import { configAt } from "./changes.ts";
import { readObject, type RunFolder } from "./run-folder.ts";

export const digestOf = (value: unknown): string => sha256(sortedJson(value));

export async function checkChecksums(run: RunFolder, findings: Findings): Promise<void> {
  const { directory, manifest, inputs, config, changes } = run;
  const files = findings.at("files", {});
  const { settings, sha256: digest } = isObject(manifest["config"]) ? manifest["config"] : {};
  files.same("manifest.json: settings", config, settings);
  files.same("manifest.json: checksum of the settings", digestOf(config), digest);
  const name = digestOf({ config: digestOf(configAt(config, changes, 0)), inputs });
  files.same("manifest.json: run", name, manifest["run"]);
  for (const { step, folder } of run.checkpoints) {
    const comparisons = findings.at("files", { step });
    const retained = await readObject(join(folder, "manifest.json"));
    if (retained["run"] !== undefined) comparisons.same(`${folder}: run`, name, retained["run"]);
    for (const [file, { sha256: expected }] of digestsIn(retained["files"]))
      comparisons.same(`${folder}/${file}`, expected, await digestOfFile(join(folder, file)).catch(() => null));
    for (const [file, { sha256: expected, bytes }] of digestsIn(retained["traces"]))
      comparisons.same(file, expected, await digestOfFile(join(directory, file), Number(bytes)).catch(() => null));
  }
}

/** A received folder may name any file of this machine; those outside it are left out. */
function digestsIn(value: unknown): (readonly [file: string, facts: Json])[] {
  const isOutside = (file: string): boolean => /(?:^|[/\\])\.\.|^[/\\]|:/u.test(file);
  return Object.entries(isObject(value) ? value : {}).flatMap(([file, facts]) =>
    isOutside(file) ? [] : [[file, isObject(facts) ? facts : {}] as const],
  );
}

/** SHA-256 of a file's first bytes. @throws Error for what is not a file, or is shorter */
async function digestOfFile(file: string, bytes?: number): Promise<string> {
  const match = await lstat(file);
  if (!match.isFile() || match.size < (bytes ?? 0)) throw new Error(`${file} is not a file of ${bytes} bytes`);
  const hash = createHash("sha256");
  if (bytes === 0) return hash.digest("hex");
  const end = bytes === undefined ? {} : { end: bytes - 1 };
  for await (const part of createReadStream(file, end)) hash.update(part as Buffer);
  return hash.digest("hex");
}
