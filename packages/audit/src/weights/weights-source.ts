import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { PolicyWeights } from "./audit-weights.ts";
import { shapeOf } from "./model-shape.ts";
import { readObject } from "../folder/json-file.ts";
import { readContent } from "../folder/record.ts";
import { sha256OfFile, type RunFolder } from "../folder/run-folder.ts";
import { policyOf, readBase, readTrained, type BaseModel } from "./weights-file.ts";

/** Weights that the folder holds, or that the run is known to have begun with. */
export interface Start {
  /** Steps that are in them. */
  readonly step: number;
  /** One for each policy, with the checkpoint's folder or that of the model itself. */
  readonly folders: readonly string[];
}

/** What of a run's weights can be computed. */
export interface WeightsSource {
  readonly names: readonly string[];
  /** By step, the earliest first. */
  readonly starts: readonly Start[];
  /** @throws Error in words for weights that cannot be computed */
  open(start: Start): Promise<readonly PolicyWeights[]>;
}

/** Finds a model by what the run calls it. @throws Error where it is not on this machine */
export type ModelFinder = (name: string) => Promise<string>;

/** @returns why nothing of the weights can be computed, in words */
export async function weightsSourceOf(run: RunFolder, find: ModelFinder): Promise<WeightsSource | string> {
  const [line] = run.steps.values();
  if (!line) return "no step is recorded";
  const names = Object.keys(readContent(line).policies);
  const placeOf = (name: string): string => (names.length === 1 ? "" : name);
  const bases = new Map<string, BaseModel | null>();
  const models: (string | { readonly missing: string })[] = [];
  for (const name of names) models.push(await modelOf(run, name, find));
  const found = models.flatMap((each) => (typeof each === "string" ? [each] : []));
  const [missing] = models.flatMap((each) => (typeof each === "string" ? [] : [each.missing]));
  const hasModels = found.length === names.length;
  if (run.lora && !hasModels) return `the model under the adapter is not known: ${missing}`;
  const starts: Start[] = [
    // What an adapter begins with is drawn, and no file of the model's.
    ...(run.beginning === null && hasModels && !run.lora ? [{ step: 0, folders: found }] : []),
    ...(run.beginning === null
      ? []
      : [{ step: 0, folders: names.map((name) => join(run.beginning as string, placeOf(name))) }]),
    ...run.checkpoints.map(({ step, folder }) => ({ step, folders: names.map((name) => join(folder, placeOf(name))) })),
  ];
  if (starts.length === 0)
    return `there are no weights to begin with: no checkpoint is kept, and ${missing ?? "no first weights"}`;
  const baseOf = async (folder: string): Promise<BaseModel | null> => {
    if (!bases.has(folder)) bases.set(folder, await readBase(folder));
    return bases.get(folder) ?? null;
  };
  return {
    names,
    starts,
    async open({ folders }) {
      const opened: PolicyWeights[] = [];
      for (const [i, folder] of folders.entries()) {
        const trained = await readTrained(folder);
        if (!trained) throw new Error(`${folder} holds no model and no adapter`);
        const base = trained.isAdapter ? (found[i] as string) : null;
        const stored = policyOf(trained, base === null ? null : await baseOf(base));
        const why = typeof stored === "string" ? stored : shapeOf(stored.model);
        if (typeof stored === "string" || typeof why === "string") throw new Error(why as string);
        opened.push({ name: names[i] as string, stored, folder, base });
      }
      return opened;
    },
  };
}

type Json = Readonly<Record<string, unknown>>;

/** Folder of the model that a policy began with or has under its adapter: the run's own, by the checksums that it kept. */
async function modelOf(
  { config, directory }: RunFolder,
  policy: string,
  find: ModelFinder,
): Promise<string | { readonly missing: string }> {
  const bases = (config["bases"] ?? {}) as Json;
  const own = Object.hasOwn(bases, policy) ? bases[policy] : undefined;
  const [role, name] = own === undefined ? ["model", config["model"]] : [`bases.${policy}`, own];
  if (typeof name !== "string") return { missing: "the configuration names no model" };
  try {
    const folder = await find(name);
    const kept = await inputsOf(directory, role);
    if (kept.size === 0) return { missing: "the run kept no checksums of its model" };
    for (const file of await readdir(folder))
      if (/^model[\w.-]*\.safetensors$/u.test(file) && kept.get(file) !== (await sha256OfFile(join(folder, file))))
        return { missing: `${join(folder, file)} is not the model that the run began with` };
    return folder;
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

/** Checksums of a model's files by name, as the run began. */
async function inputsOf(directory: string, role: string): Promise<ReadonlyMap<string, unknown>> {
  const file = join(directory, "manifest.json");
  if (!existsSync(file)) return new Map();
  const { inputs = {} } = (await readObject(file)) as { readonly inputs?: Json };
  return new Map(
    Object.entries(inputs).flatMap(([name, sum]) =>
      name.startsWith(`${role}: `) ? [[name.slice(role.length + 2), sum] as const] : [],
    ),
  );
}
