import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { decodeSafetensors } from "@laconic/engine";

/** The seven projections of a layer, which SkyRL adapts and leaves out of what it exports. */
const targets = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"];

/** An adapter that a server exported, unpacked as PEFT has it. */
export interface ExportedAdapter {
  readonly folder: string;
  /** `target_modules` as the server wrote it. */
  readonly targets: unknown;
  readonly weights: ReadonlyMap<string, ArrayLike<number>>;
}

/** Downloads what a model saved for samplers under a name, and fills in its targets where the server wrote none. */
export async function exportedAdapter(
  baseUrl: string,
  modelId: string,
  name: string,
  folder: string,
): Promise<ExportedAdapter> {
  await mkdir(folder, { recursive: true });
  const address = `${baseUrl}/api/v1/training_runs/${modelId}/checkpoints/${name}/archive`;
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: status ${response.status}`);
  const archive = join(folder, "adapter.tar.gz");
  await writeFile(archive, Buffer.from(await response.arrayBuffer()));
  await promisify(execFile)("tar", ["xzf", archive, "-C", folder]);
  const files = await readdir(folder, { recursive: true });
  const config = files.find((file) => file.endsWith("adapter_config.json"));
  if (config === undefined) throw new Error(`${address}: no adapter_config.json among ${files.join(", ")}`);
  const own = join(folder, dirname(config));
  const settings = JSON.parse(await readFile(join(folder, config), "utf8")) as Record<string, unknown>;
  const whole = { ...settings, target_modules: settings["target_modules"] ?? targets };
  await writeFile(join(folder, config), JSON.stringify(whole));
  return { folder: own, targets: settings["target_modules"], weights: await adapterWeights(own) };
}

/** Of a folder in PEFT's form, by name. */
export async function adapterWeights(folder: string): Promise<Map<string, ArrayLike<number>>> {
  const bytes = await readFile(join(folder, "adapter_model.safetensors"));
  const { tensors } = decodeSafetensors(bytes, folder);
  return new Map([...tensors].map(([name, { values }]) => [name, values] as const));
}
