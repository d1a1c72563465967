import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { isRecord, LaconicError } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { presetConfig } from "./presets.ts";
import { exportOf, loadSource } from "./load-source.ts";
import { isModuleFile, partsOfFileText } from "./reference.ts";
import { referenced } from "./referenced.ts";

/** A configuration as it is written, in plain JSON: values are references. */
export type WrittenConfig = Readonly<Record<string, unknown>>;

/**
 * What a configuration file says, `FILE.ts#NAME` for an export of it that is not the default, or `preset:NAME`.
 * @throws LaconicError `config_invalid` when the file is missing or does not hold a configuration
 */
export async function loadConfig(name: string): Promise<WrittenConfig> {
  if (name.startsWith("preset:")) return presetConfig(name.slice("preset:".length));
  const { file: path, export: exported } = existsSync(resolve(name))
    ? { file: name, export: "default" }
    : partsOfFileText(name);
  const file = resolve(path);
  const refuse = (reason: string): never => {
    throw new LaconicError("config_invalid", `${file} ${reason}`, { file });
  };
  if (!existsSync(file)) refuse("does not exist; give a file or preset:NAME");
  if (statSync(file).isDirectory()) refuse("is a folder; a run is continued with: laconic train --resume DIR");
  const directory = dirname(file);
  if (extname(file) === ".json") {
    if (exported !== "default") refuse(`is JSON and exports nothing: leave #${exported} away`);
    const text = await readFile(file, "utf8").catch((error: Error) => refuse(`cannot be read: ${error.message}`));
    const { $schema: _forEditors, ...settings } = configurationIn(parseJson(text, file), file);
    return referenced(settings, { directory }) as WrittenConfig;
  }
  if (!isModuleFile(file)) refuse("is no configuration: give a .ts, .js or .json file, or preset:NAME");
  const written = configurationIn(exportOf(await loadSource(file), file, exported), file);
  return referenced(written, { directory, module: file, export: exported }) as WrittenConfig;
}

/** Null would mean a run's own configuration. @throws LaconicError `config_invalid` unless it is an object */
function configurationIn(value: unknown, file: string): WrittenConfig {
  if (isRecord(value)) return value;
  throw new LaconicError("config_invalid", `${file}: the configuration is not an object`, { file });
}
