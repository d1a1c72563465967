import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { parseJson } from "../cli/json.ts";
import { presetConfig } from "../presets/index.ts";
import { exportOf, loadSource } from "./load-source.ts";
import { isRecord } from "./reference.ts";
import { referenced } from "./referenced.ts";

/** A configuration as it is written, in plain JSON: values of the user's own are references. */
export type WrittenConfig = Readonly<Record<string, unknown>>;

/**
 * What a configuration file or `preset:NAME` says.
 * @throws LaconicError `config_invalid` when the file is missing or does not hold a configuration
 */
export async function loadConfig(name: string): Promise<WrittenConfig> {
  if (name.startsWith("preset:")) return presetConfig(name.slice("preset:".length));
  const file = resolve(name);
  const refuse = (reason: string): never => {
    throw new LaconicError("config_invalid", `${file} ${reason}`, { file });
  };
  if (!existsSync(file)) refuse("does not exist; give a file or preset:NAME");
  if (statSync(file).isDirectory()) refuse("is a folder; a run is continued with: laconic train --resume DIR");
  const directory = dirname(file);
  if (extname(file) === ".json") {
    const text = await readFile(file, "utf8").catch((error: Error) => refuse(`cannot be read: ${error.message}`));
    return referenced(configurationIn(parseJson(text, file), file), { directory }) as WrittenConfig;
  }
  const written = configurationIn(exportOf(await loadSource(file), file, "default"), file);
  return referenced(written, { directory, module: file }) as WrittenConfig;
}

/** Null would mean a run's own configuration. @throws LaconicError `config_invalid` unless it is an object */
function configurationIn(value: unknown, file: string): WrittenConfig {
  if (isRecord(value)) return value;
  throw new LaconicError("config_invalid", `${file}: the configuration is not an object`, { file });
}
