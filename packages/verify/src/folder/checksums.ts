import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { tryParseJson } from "@laconic/core/json";
import { sha256 } from "@laconic/core/files";
import { runFiles } from "@laconic/core/run-folder";
import { sortedJson, type Findings } from "../findings.ts";
import { isObject } from "../rules/closed-set.ts";
import { configAt } from "./changes.ts";
import { linesOf, membersOf, partsOf, type PartFile } from "./rows.ts";
import { readObject, type RunFolder } from "./run-folder.ts";

/** SHA-256 of settings or problems, as a manifest keeps it. */
export const digestOf = (value: unknown): string => sha256(sortedJson(value));

/** The manifest against the configuration; checkpoints and first weights against their checksums. */
export async function checkChecksums(run: RunFolder, findings: Findings): Promise<void> {
  const { directory, manifest, inputs, config, changes, rowsFrom } = run;
  const files = findings.at("files", {});
  const { settings, sha256: digest } = isObject(manifest["config"]) ? manifest["config"] : {};
  files.same("manifest.json: settings", config, settings);
  files.same("manifest.json: checksum of the settings", digestOf(config), digest);
  const name = digestOf({ config: digestOf(configAt(config, changes, 0)), inputs });
  files.same("manifest.json: run", name, manifest["run"]);
  for (const { step, folder } of run.checkpoints) {
    const at = findings.at("files", { step });
    const kept = await readObject(join(folder, "manifest.json"));
    if (kept["run"] !== undefined) at.same(`${folder}: run`, name, kept["run"]);
    for (const [file, expected] of digestsIn(kept["files"]))
      at.same(`${folder}/${file}`, expected, await digestOfFile(join(folder, file)).catch(() => null));
    for (const [file, expected] of digestsIn(kept["traces"])) {
      const parts = (await partsOf(directory, file)).filter(({ first, last }) => first <= step && last >= step);
      if (parts.length > 0 || step >= rowsFrom)
        at.same(file, expected, await digestUpTo(parts, step, file === runFiles.episodes));
      else findings.leaveOut("rows that were let go", `${file} up to step ${step}`);
    }
  }
}

/** A received folder may name any file of this machine; those outside it are left out. */
function digestsIn(value: unknown): (readonly [file: string, sha256: unknown])[] {
  const isOutside = (file: string): boolean => /(?:^|[/\\])\.\.|^[/\\]|:/u.test(file);
  const files = Object.entries(isObject(value) ? value : {}).filter(([file]) => !isOutside(file));
  return files.map(([file, facts]) => [file, isObject(facts) ? facts["sha256"] : undefined] as const);
}

/** Of rows up to a step, in the parts that were open then. */
async function digestUpTo(parts: readonly PartFile[], step: number, areMembers: boolean): Promise<string> {
  const hash = createHash("sha256");
  for (const part of parts) {
    if (areMembers) {
      for await (const member of membersOf(part.file)) if (member.step <= step) hash.update(member.bytes());
      continue;
    }
    for await (const line of linesOf(part)) {
      const row = tryParseJson(line);
      if (isObject(row) && Number(row["step"]) <= step) hash.update(`${line}\n`);
    }
  }
  return hash.digest("hex");
}

/** @throws Error for what is not a file */
async function digestOfFile(file: string): Promise<string> {
  if (!(await lstat(file)).isFile()) throw new Error(`${file} is not a file`);
  const hash = createHash("sha256");
  for await (const part of createReadStream(file)) hash.update(part as Buffer);
  return hash.digest("hex");
}
