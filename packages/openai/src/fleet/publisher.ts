import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { makeFolders, moveFile } from "@laconic/core/platform";
import { join } from "node:path";
import { LaconicError, raggedRow, type TrainableModel } from "@laconic/core";
import type { PublishedWeights, WeightsCheck } from "./servers/sampling-server.ts";

/** Place of weights for the servers. */
export interface PublishOptions {
  /** Unique per run and policy on these servers: letters, digits, `.`, `_` and `-`. */
  readonly name: string;
  readonly folder: string;
  /** Path on the servers. Default: `folder`. */
  readonly folderAtServers?: string;
}

const weightFile = /^(?:adapter_)?model[\w.-]*\.safetensors$/u;
const described = /^[\w.-]+\.json$/u;

/**
 * Writes the current weights into a folder named by its content.
 * @param nth - unique within this process and name
 * @throws LaconicError `engine_failed` if the weights changed during the write, `run_unwritable`, and the errors of
 * `save`
 */
export async function publishWeights(
  model: Pick<TrainableModel, "save" | "forward" | "weightVersion">,
  { name, folder, folderAtServers = folder }: PublishOptions,
  nth: number,
  checkTokens: readonly number[],
): Promise<PublishedWeights> {
  const version = model.weightVersion;
  const draft = join(folder, `${name}-v${version}-${nth}.part`);
  await rm(draft, { recursive: true, force: true });
  await makeFolders(draft);
  const [files, check] = await Promise.all([model.save(draft), checkOf(model, checkTokens)]);
  if (model.weightVersion !== version)
    throw new LaconicError("engine_failed", `the weights changed while version ${version} was published`, {
      version,
    });
  const weights = files.filter((file) => weightFile.test(file)).toSorted();
  // Servers read every tensor file, so optimizer state must not be there.
  for (const file of await readdir(draft))
    if (!weightFile.test(file) && !described.test(file)) await rm(join(draft, file), { recursive: true });
  const hash = createHash("sha256");
  for (const file of weights) for await (const piece of createReadStream(join(draft, file))) hash.update(piece);
  const published = `${name}-v${version}-${hash.digest("hex").slice(0, 12)}-${nth}`;
  const path = join(folder, published);
  await rm(path, { recursive: true, force: true });
  await moveFile(draft, path);
  const kind = weights.some((file) => file.startsWith("adapter_")) ? "adapter" : "all";
  return { name: published, version, folder: `${folderAtServers}/${published}`, kind, path, check };
}

async function checkOf(model: Pick<TrainableModel, "forward">, tokens: readonly number[]): Promise<WeightsCheck> {
  const [promptTokens, completionTokens] = [tokens.slice(0, 1), tokens.slice(1)];
  const { logProbs } = await model.forward([{ promptTokens, completionTokens }]);
  return { tokens, logProbs: [...raggedRow(logProbs, 0)] };
}
