import { join } from "node:path";
import type { UnknownRecord } from "@laconic/core";

/** Folder in a run's, of the model that its training began with, where the run warm-started it. */
export const taughtFolder = "taught";

/** How a run's configuration names the model that lies in the run's own folder: it is found when the folder has moved. */
const ownModel = "run:taught";

/** A configuration as it lies in a run's folder. */
export function withOwnModel(directory: string, config: UnknownRecord): UnknownRecord {
  return config["model"] === join(directory, taughtFolder) ? { ...config, model: ownModel } : config;
}

/** The same, read again. */
export function fromOwnModel(directory: string, config: UnknownRecord): UnknownRecord {
  return config["model"] === ownModel ? { ...config, model: join(directory, taughtFolder) } : config;
}
