import { fileURLToPath } from "node:url";
import { LaconicError } from "@laconic/core";
import { askPython } from "@laconic/core/platform";
import { chatRenderer } from "../src/tokenizers/chat-template.ts";
import type { TemplateCase } from "./template-grammar.ts";

type Outcome = { readonly text: string } | { readonly error: string };

export interface Parity {
  readonly differences: readonly unknown[];
  readonly equal: number;
  readonly rejected: readonly string[];
}

/** Renders cases here and with transformers; a text is the reason why Python cannot. */
export async function compareTemplates(cases: readonly TemplateCase[]): Promise<Parity | string> {
  const script = fileURLToPath(new URL("template_parity.py", import.meta.url));
  const outcome = await askPython<readonly Outcome[]>(script, cases);
  if ("missing" in outcome) return outcome.missing;
  const differences: unknown[] = [];
  const rejected: string[] = [];
  let equal = 0;
  for (const [i, one] of cases.entries()) {
    const theirs = outcome.answer[i] as Outcome;
    const ours = render(one);
    if ("rejected" in ours) rejected.push(ours.rejected);
    else if ("text" in ours && "text" in theirs && ours.text === theirs.text) equal++;
    else if (!("error" in ours && "error" in theirs)) differences.push({ ...one, ours, theirs });
  }
  return { differences, equal, rejected };
}

function render({ template, messages, variables }: TemplateCase): Outcome | { readonly rejected: string } {
  try {
    const pieces = chatRenderer(template, [], variables, () => new Date(2026, 2, 5))(messages as never);
    return { text: pieces.map((piece) => ("text" in piece ? piece.text : piece.control)).join("") };
  } catch (error) {
    if (!LaconicError.is(error)) throw error;
    return error.message.includes("not supported") ? { rejected: error.message } : { error: error.message };
  }
}
