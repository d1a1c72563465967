import { join } from "node:path";
import type { UnknownRecord } from "@laconic/core";

export const taughtFolder = "taught";

/** Name that stays valid when the run folder moves. */
const ownModel = "run:taught";

export function withOwnModel(directory: string, config: UnknownRecord): UnknownRecord {
  return config["model"] === join(directory, taughtFolder) ? { ...config, model: ownModel } : config;
}

export function fromOwnModel(directory: string, config: UnknownRecord): UnknownRecord {
  return config["model"] === ownModel ? { ...config, model: join(directory, taughtFolder) } : config;
}
