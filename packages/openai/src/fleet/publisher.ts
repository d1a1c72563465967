import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { makeFolders, moveFile } from "@laconic/core/platform";
import { join } from "node:path";
import { LaconicError, raggedRow, type TrainableModel } from "@laconic/core";
import type { PublishedWeights, WeightsCheck } from "./servers/sampling-server.ts";

/** Where versions are written for the servers to read. */
export interface PublishOptions {
  /** Of run and policy, unlike any other's on these servers: letters, digits, `.`, `_` and `-`. */
  readonly name: string;
  /** A folder that trainer and servers share. */
  readonly folder: string;
  /** The same folder as the servers see it; `folder` by default. */
  readonly folderAtServers?: string;
}

const weightFile = /^(?:adapter_)?model[\w.-]*\.safetensors$/u;
const described = /^[\w.-]+\.json$/u;

/**
 * Writes the weights as they are now into a folder of their own, and names it by what is in it.
 * @param nth - a number that no other publication of this process under this name has
 * @param checkTokens - a text that tells weights apart
 * @throws LaconicError `engine_failed` when the weights moved meanwhile, `run_unwritable`, and what `save` throws
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
    throw new LaconicError("engine_failed", `the weights moved on from version ${version} while it was published`, {
      version,
    });
  const weights = files.filter((file) => weightFile.test(file)).toSorted();
  // A server reads every file of tensors: the optimiser's would be taken for weights.
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
