import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { configError, isRecord, nameHint, type UnknownRecord } from "@laconic/core";
import { parseJson } from "@laconic/core/json";
import { wordTable } from "@laconic/core/checks";
import {
  actorFinetune,
  agentGspo,
  agentPoCritic,
  agentPoDebate,
  agentPoHint,
  agentPoHintPrinted,
  agentPoRoles,
  magrpo,
  magrpoCode,
  magrpoMultiturn,
  relayActor,
  relayCritic,
  relayFeedback,
  relayHint,
  relayQuickstart,
  relayWriters,
  stepsActor,
  stepsHint,
  stepsSplit,
  stepsStar,
  storyTellers,
  type Preset,
} from "@laconic/tasks/presets";
import { exportOf, loadSource } from "./load-source.ts";
import { isModuleFile, partsOfFileText, referenced } from "./reference.ts";

/** Plain JSON with references to values. */
export type WrittenConfig = UnknownRecord;

/**
 * Loads a file, an export (`FILE.ts#NAME`), or `preset:NAME`.
 * @throws LaconicError `config_invalid` for a missing or invalid file
 */
export async function loadConfig(name: string): Promise<WrittenConfig> {
  if (name.startsWith("preset:")) return presetConfig(name.slice("preset:".length));
  const { file: path, export: exported } = existsSync(resolve(name))
    ? { file: name, export: "default" }
    : partsOfFileText(name);
  const file = resolve(path);
  const refuse = (reason: string): never => {
    throw configError(`${file} ${reason}`, { file });
  };
  if (!existsSync(file)) refuse("not found; give a file or preset:NAME");
  if (statSync(file).isDirectory()) refuse("is a folder; to resume a run: laconic train --resume DIR");
  const directory = dirname(file);
  if (extname(file) === ".json") {
    if (exported !== "default") refuse(`is JSON and has no exports: remove #${exported}`);
    const text = await readFile(file, "utf8").catch((error: Error) => refuse(`cannot be read: ${error.message}`));
    const { $schema: _forEditors, ...settings } = configurationIn(parseJson(text, file), file);
    return referenced(settings, { directory }) as WrittenConfig;
  }
  if (!isModuleFile(file)) refuse("is not a configuration: give a .ts, .js or .json file, or preset:NAME");
  const written = configurationIn(exportOf(await loadSource(file), file, exported), file);
  return referenced(written, { directory, module: file, export: exported }) as WrittenConfig;
}

/** Null would select a run's stored configuration. */
function configurationIn(value: unknown, file: string): WrittenConfig {
  if (isRecord(value)) return value;
  throw configError(`${file}: the configuration is not an object`, { file });
}

const presets: Readonly<Record<string, Preset>> = wordTable({
  "agent-gspo": agentGspo,
  "agentpo-hint": agentPoHint,
  "agentpo-hint-printed": agentPoHintPrinted,
  "agentpo-critic": agentPoCritic,
  "agentpo-debate": agentPoDebate,
  "agentpo-roles": agentPoRoles,
  "actor-finetune": actorFinetune,
  magrpo,
  "magrpo-code": magrpoCode,
  "magrpo-multiturn": magrpoMultiturn,
  "relay-quickstart": relayQuickstart,
  "relay-hint": relayHint,
  "relay-critic": relayCritic,
  "relay-actor": relayActor,
  "relay-writers": relayWriters,
  "relay-feedback": relayFeedback,
  "steps-star": stepsStar,
  "steps-hint": stepsHint,
  "steps-actor": stepsActor,
  "steps-split": stepsSplit,
  "story-tellers": storyTellers,
});

/** Names of the presets. */
export const presetNames: readonly string[] = Object.keys(presets);

/** Configuration of a preset. */
export function presetConfig(name: string): UnknownRecord {
  const preset = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (preset) return { ...preset };
  const hint = nameHint(
    `preset:${name}`,
    presetNames.map((known) => `preset:${known}`),
  );
  throw configError(`preset ${name} not found; ${hint}`, { preset: name });
}
