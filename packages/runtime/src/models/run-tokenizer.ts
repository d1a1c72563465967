/**
 * Tokenizers of runs, for pages that show tokens.
 * @module @laconic/runtime/run-tokenizers
 */
import { isRecord, type Tokenizer } from "@laconic/core";
import type { Progress } from "../progress.ts";
import { fromOwnModel } from "./own-model.ts";

/** A run's tokenizer; null if it is not on this machine. */
type TokenizerOf = (run: {
  readonly directory: string;
  readonly config: unknown;
}) => Promise<Pick<Tokenizer, "decode"> | null>;

const maxKept = 8;

/** Tokenizers for pages that show tokens. Never downloads one. */
export function runTokenizers(progress: Progress): TokenizerOf {
  const registry = new Map<string, Promise<Pick<Tokenizer, "decode"> | null>>();
  return (run) => {
    const { directory } = run;
    const opening = registry.get(directory) ?? open(run, progress).catch(() => null);
    registry.delete(directory);
    registry.set(directory, opening);
    const [oldest] = registry.keys();
    if (registry.size > maxKept && oldest !== undefined) registry.delete(oldest);
    return opening;
  };
}

/** Does not check the configuration, to avoid loading the training loop and model code for relay runs. */
async function open(
  { directory, config }: Parameters<TokenizerOf>[0],
  progress: Progress,
): Promise<Pick<Tokenizer, "decode"> | null> {
  if (!isRecord(config)) return null;
  const { model, task, chatTemplateArguments } = fromOwnModel(directory, config);
  if (isRecord(task) && task["name"] === "relay") return (await import("@laconic/tasks")).relayTokenizer;
  if (typeof model !== "string") return null;
  const { openModelFolder } = await import("./model-folder.ts");
  const { folder } = await openModelFolder(model, progress, { weights: false, offline: true });
  const { policyTokenizer } = await import("./policy-tokenizer.ts");
  return policyTokenizer(folder, isRecord(chatTemplateArguments) ? chatTemplateArguments : {});
}
