import { join } from "node:path";
import type { UnknownRecord } from "@laconic/core";

/** Subfolder of a run for the warm-started initial model. */
export const taughtFolder = "taught";

/** Name that stays valid when the run folder moves. */
const ownModel = "run:taught";

/** Configuration with this name, for the run folder. */
export function withOwnModel(directory: string, config: UnknownRecord): UnknownRecord {
  return config["model"] === join(directory, taughtFolder) ? { ...config, model: ownModel } : config;
}

/** Inverse of `withOwnModel`. */
export function fromOwnModel(directory: string, config: UnknownRecord): UnknownRecord {
  return config["model"] === ownModel ? { ...config, model: join(directory, taughtFolder) } : config;
}
