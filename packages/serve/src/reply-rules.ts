import { dereference, validate, type Schema } from "@cfworker/json-schema";
import { isRecord, randomFromState, type Completion, type FinishReason, type LanguageModel } from "@laconic/core";
import { boundedJson } from "@laconic/core/json";
import { sumKinds } from "@laconic/core/ledger";
import { HttpError, invalid } from "./http.ts";
import type { ResponseFormat } from "./schemas.ts";
import type { OfferedTool, OfferedTools } from "./tool-schemas.ts";
import type { CalledTool, ReadReply } from "./forms.ts";

/** What a reply must be, beyond what the model says by itself. */
export interface ReplyRule {
  /** The request's parameter that asks for it. */
  readonly parameter: string;
  /** Of a reply that is not so. */
  readonly code: "json_invalid" | "tool_not_called" | "arguments_invalid";
  /** Why a reply is not so; null where it is. */
  fault(content: string, calls: readonly CalledTool[]): string | null;
}

/** Replies that are drawn for one request before it fails. */
const maxDraws = 8;

const endings: Readonly<Record<FinishReason, string>> = {
  stop: "",
  length: "; it was cut at max_tokens",
  refusal: "; it ended by a refusal",
  unknown: "; it may lack its end",
};

/**
 * A model whose replies keep the rules: one that breaks a rule is drawn again, up to eight times. Usage counts what all draws wrote.
 * Greedy replies are drawn once, because the next would be the same.
 * @throws HttpError 422 with the rule's code where none keeps them
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
        if (!broken) return { ...completion, usage: drawnUsage(completion.usage, usages) };
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

/** The usage of the last draw with what all draws wrote and cost. */
function drawnUsage(last: Completion["usage"], draws: readonly Completion["usage"][]): Completion["usage"] {
  const { cachedTokens: _cached, cacheWriteTokens: _written, ...kinds } = sumKinds(draws);
  const completionTokens = draws.reduce((sum, usage) => sum + usage.completionTokens, 0);
  return { ...last, completionTokens, ...kinds };
}

/**
 * The rule that a format sets; none for text.
 * @throws HttpError 400 for a schema that is not taken
 */
export function formatRule(format: ResponseFormat | null | undefined): ReplyRule[] {
  if (!format || format.type === "text") return [];
  const parameter = "response_format";
  const fault = format.type === "json_object" ? objectFault : schemaFault(format.json_schema.schema, formatPlace);
  return [
    {
      parameter,
      code: "json_invalid",
      fault: (content, calls) => (calls.length > 0 ? null : jsonFault(content, fault)),
    },
  ];
}

function jsonFault(content: string, fault: (value: unknown) => string | null): string | null {
  let value: unknown;
  try {
    value = boundedJson(content);
  } catch (error) {
    return `the text is no JSON: ${(error as Error).message.slice(0, 120)}`;
  }
  return fault(value);
}

const objectFault = (value: unknown): string | null => (isRecord(value) ? null : "the JSON is no object");

const formatPlace = "response_format.json_schema.schema";

/** @throws HttpError 400 naming a keyword that is not taken */
function schemaFault(schema: Readonly<Record<string, unknown>>, place: string): (value: unknown) => string | null {
  checkKeywords(schema, place);
  const lookup = dereference(schema);
  const tell = (value: unknown): string | null => {
    const [whole, parts, reply] = counted([schema as Schema, lookup, value], longestText(value));
    const { valid, errors } = validate(reply, whole, "2020-12", parts);
    const [first] = errors.toReversed();
    return valid
      ? null
      : `the JSON does not fit the schema${first ? ` at ${first.instanceLocation}: ${first.error}` : ""}`;
  };
  const checked = (value: unknown): string | null => {
    try {
      return tell(value);
    } catch (error) {
      throw invalid(`${place}: it cannot be followed: ${(error as Error).message.slice(0, 120)}`, place);
    }
  };
  checked(null); // a reference to nowhere, or round in a circle, is known before anything is drawn
  return checked;
}

/** What holding a reply against a schema may read: a few tenths of a second. A reply of 32,000 tokens takes a third. */
const maxReads = 4_000_000;

/** Keywords that read a text from end to end. */
const textKeywords: ReadonlySet<PropertyKey> = new Set(["format", "minLength", "maxLength"]);

/**
 * Values whose every property counts when it is read: whatever a validator does, it reads its schema and its value.
 * @param textLength - of the longest text
 * @throws Error past the most reads
 */
function counted<T extends readonly unknown[]>(values: T, textLength: number): T {
  const known = new WeakMap<object, object>();
  let reads = 0;
  const spend = (count: number): void => {
    reads += count;
    if (reads > maxReads) throw new Error(`it takes more than ${maxReads} steps to hold a reply against it`);
  };
  const watched = <V>(value: V): V => {
    if (typeof value !== "object" || value === null) return value;
    const before = known.get(value);
    if (before !== undefined) return before as V;
    const proxy = new Proxy(value, {
      get(target, key) {
        const found: unknown = Reflect.get(target, key);
        spend(found !== undefined && textKeywords.has(key) ? 1 + textLength / 16 : 1);
        return watched(found);
      },
      ownKeys(target) {
        const keys = Reflect.ownKeys(target);
        spend(keys.length);
        return keys;
      },
    });
    known.set(value, proxy);
    return proxy;
  };
  return values.map((value) => watched(value)) as unknown as T;
}

function longestText(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((most, [key, each]) => Math.max(most, key.length, longestText(each)), 0);
}

/**
 * Refuses expressions, which a text that a model wrote could be checked against for ever, and what would have to be fetched.
 * @throws HttpError 400 naming the keyword
 */
function checkKeywords(schema: object, place: string): void {
  const check = (value: unknown, at: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      const here = `${at}.${key}`;
      if ((key === "pattern" && typeof each === "string") || key === "patternProperties")
        throw invalid(`${here}: regular expressions are not taken`, place);
      const isReference = (key === "$ref" || key === "$dynamicRef") && typeof each === "string";
      if (isReference && pointedAt(schema, each) === undefined)
        throw invalid(`${here}: it names nothing in the schema`, place);
      check(each, here);
    }
  };
  check(schema, place);
}

/** What a pointer such as `#/$defs/a` names. */
function pointedAt(schema: object, reference: string): unknown {
  if (reference !== "#" && !reference.startsWith("#/")) return undefined;
  const keys = reference.split("/").slice(1);
  return keys.reduce<unknown>((value, key) => {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    return typeof value === "object" && value !== null && Object.hasOwn(value, name)
      ? (value as Readonly<Record<string, unknown>>)[name]
      : undefined;
  }, schema);
}

/**
 * The rule of each strict tool: the arguments of its calls fit its parameters.
 * @throws HttpError 400 for parameters that are not taken
 */
export function strictRules(tools: readonly OfferedTool[]): ReplyRule[] {
  return tools.flatMap(({ name, strict, parameters }, i): ReplyRule[] => {
    if (strict !== true || typeof parameters !== "object" || parameters === null) return [];
    const fault = schemaFault(parameters as Readonly<Record<string, unknown>>, `tools.${i}.function.parameters`);
    const faultOf = (given: string): string | null => {
      const found = jsonFault(given, fault);
      return found === null ? null : `a call of ${JSON.stringify(name.slice(0, 64))}: ${found}`;
    };
    return [
      {
        parameter: "tools",
        code: "arguments_invalid",
        fault: (_, calls) =>
          calls.reduce<string | null>(
            (first, call) => first ?? (call.name === name ? faultOf(call.arguments) : null),
            null,
          ),
      },
    ];
  });
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
