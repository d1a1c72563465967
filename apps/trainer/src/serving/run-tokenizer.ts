import type { Tokenizer } from "@laconic/core";
import type { TokenizerOf } from "@laconic/view";
import type { Terminal } from "../cli/terminal.ts";

/** Of a runs' page: as many runs as somebody looks at. */
const mostKept = 8;

/**
 * Tokenizers of runs, so that a page can show their tokens. What is not on this machine is not downloaded for it: such tokens stand by
 * number.
 */
export function runTokenizers(terminal: Terminal): TokenizerOf {
  const known = new Map<string, Promise<Pick<Tokenizer, "decode"> | null>>();
  return ({ directory }) => {
    const opening = known.get(directory) ?? open(directory, terminal).catch(() => null);
    known.delete(directory);
    known.set(directory, opening);
    const [oldest] = known.keys();
    if (known.size > mostKept && oldest !== undefined) known.delete(oldest);
    return opening;
  };
}

async function open(directory: string, terminal: Terminal): Promise<Pick<Tokenizer, "decode"> | null> {
  // Whoever looks at curves needs none of it.
  const { configOfRun } = await import("../run/open-run.ts");
  const { model, task, chatTemplateArguments } = await configOfRun(directory);
  if (task !== null && "name" in task && task.name === "relay") return (await import("@laconic/tasks")).relayTokenizer;
  const { openModelFolder } = await import("../run/model-folder.ts");
  const { tokenizerIn } = await import("../run/tokenizer-in.ts");
  const { folder } = await openModelFolder(model, terminal, { weights: false, offline: true });
  const { taughtTask } = await import("../run/policy-facts.ts");
  if ((await taughtTask(folder))?.startsWith("relay/")) return (await import("@laconic/tasks")).relayTokenizer;
  return tokenizerIn(folder, chatTemplateArguments);
}
