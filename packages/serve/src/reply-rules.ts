import { isRecord, randomFromState, type Completion, type FinishReason, type LanguageModel } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { sumKinds } from "@laconic/core/ledger";
import type { CalledTool, ReadReply } from "./forms.ts";
import { HttpError, invalid } from "./http.ts";
import type { OfferedTools } from "./schemas.ts";

/** A condition on a whole reply. */
export interface ReplyRule {
  /** The request's parameter that sets it. */
  readonly parameter: string;
  readonly code: "json_invalid" | "tool_not_called";
  /** Why a reply breaks it; null where it does not. */
  fault(content: string, calls: readonly CalledTool[]): string | null;
}

/** Max replies drawn for one request. */
const maxDraws = 8;

const endings: Readonly<Record<FinishReason, string>> = {
  stop: "",
  length: "; it was cut at max_tokens",
  refusal: "; it ended by a refusal",
  unknown: "; it may lack its end",
};

/**
 * A model whose replies keep the rules: a reply that breaks a rule is drawn again, up to eight times. Usage counts all draws.
 * Greedy replies are drawn once, because the next would be the same.
 * @throws HttpError 422 with the rule's code where no reply keeps them
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
          "invalid_request_error",
          `${broken.parameter}: of ${draws} replies none is as asked; of the last one, ${broken.fault(content, calls)}${endings[completion.finishReason]}`,
          broken.parameter,
          broken.code,
        );
      }
    },
  };
}

/** The usage of the last draw, with the tokens that all draws wrote and their cost. */
function usageOfDraws(last: Completion["usage"], draws: readonly Completion["usage"][]): Completion["usage"] {
  const { cachedTokens: _cached, cacheWriteTokens: _written, ...kinds } = sumKinds(draws);
  const completionTokens = draws.reduce((sum, usage) => sum + usage.completionTokens, 0);
  return { ...last, completionTokens, ...kinds };
}

/** The rule that a response format sets; none for text. A reply that calls a tool has no JSON to check. */
export function formatRule(type: "text" | "json_object" | undefined): ReplyRule[] {
  if (type !== "json_object") return [];
  const fault: ReplyRule["fault"] = (content, calls) => (calls.length > 0 ? null : jsonFault(content));
  return [{ parameter: "response_format", code: "json_invalid", fault }];
}

function jsonFault(content: string): string | null {
  try {
    return isRecord(boundedJson(content)) ? null : "the JSON is no object";
  } catch (error) {
    return `the text is no JSON: ${(error as Error).message.slice(0, 120)}`;
  }
}

/**
 * The rule that a choice of tools sets; none where the model chooses.
 * @throws HttpError 400 for a tool that is not offered
 */
export function choiceRule({ tools, tool_choice: choice }: OfferedTools): ReplyRule[] {
  if (!choice || choice === "auto" || choice === "none") return [];
  const parameter = "tool_choice";
  const offered = (tools ?? []).map((tool) => tool.function.name);
  const wanted = choice === "required" ? offered : [choice.function.name];
  const stranger = wanted.find((name) => !offered.includes(name));
  if (wanted.length === 0) throw invalid("tool_choice: the request has no tools", parameter);
  if (stranger !== undefined)
    throw invalid(`tool_choice: no tool ${JSON.stringify(stranger.slice(0, 64))} is offered`, parameter);
  return [
    {
      parameter,
      code: "tool_not_called",
      fault(_, calls) {
        if (calls.length === 0) return "no tool is called";
        const other = calls.find(({ name }) => !wanted.includes(name));
        return other ? `it calls ${JSON.stringify(other.name.slice(0, 64))}` : null;
      },
    },
  ];
}
