import { openModelFolder } from "../models/model-folder.ts";
import type { Progress } from "../progress.ts";
import type { AppConfig } from "./run-settings.ts";
import { warmStartIn } from "./warm-start/warm-start-record.ts";

/** The name of the model as it was before the run's supervised warm start; null for a run without one. */
export async function fetchedModel({ model }: Pick<AppConfig, "model">, progress: Progress): Promise<string | null> {
  const { folder } = await openModelFolder(model, progress);
  return (await warmStartIn(folder))?.warmStart.model ?? null;
}
