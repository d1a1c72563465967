import { isRecord, randomFromState } from "@laconic/core";
import type { Completion, FinishReason, LanguageModel, ToolDefinition } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { sumKinds } from "@laconic/core/ledger";
import type { CalledTool, ReadReply } from "./forms.ts";
import { HttpError, invalid } from "./http.ts";

export interface ReplyRule {
  readonly parameter: string;
  readonly code: "json_invalid" | "tool_not_called";
  /** Why a reply breaks the rule; null if it does not. */
  fault(content: string, calls: readonly CalledTool[]): string | null;
}

const maxDraws = 8;

const endings: Readonly<Record<FinishReason, string>> = {
  stop: "",
  length: "; it was cut at max_tokens",
  refusal: "; it was refused",
  unknown: "; it may be incomplete",
};

/**
 * Draws a reply again if it breaks a rule, up to eight times. Usage counts all draws. Greedy replies are drawn once:
 * the next would be identical.
 * @throws HttpError 422 with the rule's code if no reply satisfies the rules
 */
export function keepingRules(policy: LanguageModel, rules: readonly ReplyRule[], read: ReadReply): LanguageModel {
  return {
    id: policy.id,
    async complete(request): Promise<Completion> {
      const draws = request.sampling.temperature === 0 ? 1 : maxDraws;
      const random = randomFromState(request.random);
      const usages: Completion["usage"][] = [];
      for (let draw = 0; ; draw++) {
        const completion = await policy.complete(
          draw === 0 ? request : { ...request, random: random.split(`draw:${draw}`).state() },
        );
        usages.push(completion.usage);
        const { content, calls } = read(completion);
        const broken = rules.find((rule) => rule.fault(content, calls) !== null);
        if (!broken) return { ...completion, usage: usageOfDraws(completion.usage, usages) };
        if (draw + 1 < draws) continue;
        throw new HttpError(
          422,
          `${broken.parameter}: none of ${draws} replies complies; in the last one, ${broken.fault(content, calls)}${endings[completion.finishReason]}`,
          broken.parameter,
          broken.code,
        );
      }
    },
  };
}

/** Written tokens and cost are those of all draws. */
function usageOfDraws(last: Completion["usage"], draws: readonly Completion["usage"][]): Completion["usage"] {
  const { cachedTokens: _cached, cacheWriteTokens: _written, ...kinds } = sumKinds(draws);
  const completionTokens = draws.reduce((sum, usage) => sum + usage.completionTokens, 0);
  return { ...last, completionTokens, ...kinds };
}

/** Rule of a response format; none for text. A reply with tool calls is not checked for JSON. */
export function formatRule(type: "text" | "json_object" | undefined): ReplyRule[] {
  if (type !== "json_object") return [];
  const fault: ReplyRule["fault"] = (content, calls) => (calls.length > 0 ? null : jsonFault(content));
  return [{ parameter: "response_format", code: "json_invalid", fault }];
}

function jsonFault(content: string): string | null {
  try {
    return isRecord(boundedJson(content)) ? null : "the JSON is not an object";
  } catch (error) {
    return `the text is not JSON: ${(error as Error).message.slice(0, 120)}`;
  }
}

/** Rule of a tool choice; none if the model chooses. @throws HttpError 400 for an unknown tool */
export function choiceRule(
  choice: "auto" | "none" | "required" | { readonly function: { readonly name: string } } | null | undefined,
  tools: readonly ToolDefinition[],
): ReplyRule[] {
  if (!choice || choice === "auto" || choice === "none") return [];
  const parameter = "tool_choice";
  const offered = tools.map(({ name }) => name);
  const names = choice === "required" ? offered : [choice.function.name];
  const stranger = names.find((name) => !offered.includes(name));
  if (names.length === 0) throw invalid("tool_choice: the request has no tools", parameter);
  if (stranger !== undefined)
    throw invalid(`tool_choice: tool ${JSON.stringify(stranger.slice(0, 64))} not found in tools`, parameter);
  return [
    {
      parameter,
      code: "tool_not_called",
      fault(_, calls) {
        if (calls.length === 0) return "no tool is called";
        const other = calls.find(({ name }) => !names.includes(name));
        return other ? `it calls ${JSON.stringify(other.name.slice(0, 64))}` : null;
      },
    },
  ];
}
