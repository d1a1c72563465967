/**
 * Tokenizers of runs, for pages that show tokens.
 * @module @laconic/runtime/run-tokenizers
 */
import { isRecord, type Tokenizer } from "@laconic/core";
import type { Progress } from "../progress.ts";
import { fromOwnModel } from "./own-model.ts";

/** The tokenizer of a run by its folder and its configuration as written; null where it is not on this machine. */
type TokenizerOf = (run: {
  readonly directory: string;
  readonly config: unknown;
}) => Promise<Pick<Tokenizer, "decode"> | null>;

/** Of a runs' page: as many runs as somebody looks at. */
const maxKept = 8;

/**
 * Tokenizers of runs, so that a page can show their tokens. What is not on this machine is not downloaded for it: such tokens stand by
 * number.
 */
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

/**
 * What of a configuration tells the tokenizer is looked up, not checked: whoever looks at a run of the relay waits neither for the training loop
 * nor for what opens models.
 */
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
