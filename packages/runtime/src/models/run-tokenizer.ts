/**
 * Tokenizers of runs, for pages that show tokens.
 * @module @laconic/runtime/run-tokenizers
 */
import { isRecord, type Tokenizer } from "@laconic/core";
import type { Progress } from "../progress.ts";
import { fromOwnModel } from "./own-model.ts";

/** Returns a run's tokenizer by its folder and raw configuration; null if it is not on this machine. */
type TokenizerOf = (run: {
  readonly directory: string;
  readonly config: unknown;
}) => Promise<Pick<Tokenizer, "decode"> | null>;

/** Max cached tokenizers. */
const maxKept = 8;

/** Returns tokenizers of runs, for pages that show tokens. Never downloads one; such tokens are shown by number. */
export function runTokenizers(progress: Progress): TokenizerOf {
  const known = new Map<string, Promise<Pick<Tokenizer, "decode"> | null>>();
  return (run) => {
    const { directory } = run;
    const opening = known.get(directory) ?? open(run, progress).catch(() => null);
    known.delete(directory);
    known.set(directory, opening);
    const [oldest] = known.keys();
    if (known.size > maxKept && oldest !== undefined) known.delete(oldest);
    return opening;
  };
}

/** Reads the configuration without checking it, so that relay runs load neither the training loop nor model code. */
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
  const { taughtTask } = await import("./policy-tokenizer.ts");
  if ((await taughtTask(folder))?.startsWith("relay/")) return (await import("@laconic/tasks")).relayTokenizer;
  const { tokenizerIn } = await import("./policy-tokenizer.ts");
  return tokenizerIn(folder, isRecord(chatTemplateArguments) ? chatTemplateArguments : {});
}
