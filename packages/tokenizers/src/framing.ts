import type { UnknownRecord } from "@laconic/core";
import type { SpecialTokens } from "./special-tokens.ts";
import type { TokenizerFiles } from "./tokenizer-files.ts";

/** Tokens that a checkpoint puts before and after a text. */
export interface Framing {
  readonly before: readonly number[];
  readonly after: readonly number[];
}

/**
 * What transformers' `tokenizer(text)` puts around a text: what `add_bos_token` and `add_eos_token` of
 * `tokenizer_config.json` say where one of them is there, else the post-processor of `tokenizer.json`.
 */
export function framingOf({ tokenizer, config }: TokenizerFiles, { ids, byRole }: SpecialTokens): Framing {
  const processor = tokenizer["post_processor"] as UnknownRecord | null | undefined;
  if ("add_bos_token" in config || "add_eos_token" in config) {
    const role = (name: "bos" | "eos"): number[] => {
      const id = ids.get(byRole[`${name}_token`] ?? "");
      return config[`add_${name}_token`] === true && id !== undefined ? [id] : [];
    };
    return { before: role("bos"), after: role("eos") };
  }
  return processor ? framingBy(processor) : { before: [], after: [] };
}

function framingBy(processor: UnknownRecord): Framing {
  switch (processor["type"]) {
    case "Sequence": {
      const inner = (processor["processors"] as readonly UnknownRecord[]).map(framingBy);
      // Each puts its own around what the one before it made.
      return {
        before: inner.toReversed().flatMap(({ before }) => before),
        after: inner.flatMap(({ after }) => after),
      };
    }
    case "TemplateProcessing":
      return templateFraming(processor);
    case "BertProcessing":
    case "RobertaProcessing":
      return {
        before: [(processor["cls"] as readonly [string, number])[1]],
        after: [(processor["sep"] as readonly [string, number])[1]],
      };
    default:
      return { before: [], after: [] };
  }
}

function templateFraming(processor: UnknownRecord): Framing {
  const items = processor["single"] as readonly { readonly SpecialToken?: { readonly id: string } }[];
  const tokens = processor["special_tokens"] as Readonly<Record<string, { readonly ids: readonly number[] }>>;
  const text = items.findIndex((item) => item.SpecialToken === undefined);
  const idsOf = (part: typeof items): number[] =>
    part.flatMap(({ SpecialToken: special }) => tokens[special?.id ?? ""]?.ids ?? []);
  return { before: idsOf(items.slice(0, text)), after: idsOf(items.slice(text + 1)) };
}
