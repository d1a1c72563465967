import { dataError, inputError } from "@laconic/core";
import type {
  ChatTokenizer,
  ExampleMessage,
  SupervisedExample,
  Tokenizer,
  TrainingSequence,
  ValuesOf,
} from "@laconic/core";
import type { exampleTable } from "../settings/tables.ts";

/** Settings of encoding a supervised example. */
export type ExampleSettings = ValuesOf<typeof exampleTable>;

/** Tokenizer; its chat template is only needed for chats. */
export type ExampleTokenizer = Tokenizer & Partial<Pick<ChatTokenizer, "encodeChat" | "endTokens">>;

/**
 * Encodes one sequence per learned turn. Completions are turns with their end tokens, so that only turns have a
 * gradient.
 * @param maxTokens - limit of prompt and completion
 * @throws LaconicError `data_invalid` for an example without a turn to learn or a too long one; `input_invalid` for a
 * chat without a template
 */
export function encodeExample(
  example: SupervisedExample,
  tokenizer: ExampleTokenizer,
  { turns, long }: Pick<ExampleSettings, "turns" | "long">,
  maxTokens: number,
): TrainingSequence[] {
  const location = example.source ?? "an example";
  const all = sequencesOf(example, tokenizer, location);
  const learned = turns === "last" ? all.slice(-1) : all;
  if (learned.length === 0) throw dataError(`${location}: no assistant turn to learn`, { place: location });
  return learned.map(({ promptTokens, completionTokens }) => {
    const length = promptTokens.length + completionTokens.length;
    if (length <= maxTokens) return { promptTokens, completionTokens };
    const room = maxTokens - promptTokens.length;
    if (room < 1)
      throw dataError(
        `${location}: its prompt alone has ${promptTokens.length} tokens, more than ${maxTokens}; shorten or remove it`,
        { place: location, tokens: length, max: maxTokens },
      );
    if (long === "refuse")
      throw dataError(
        `${location}: it has ${length} tokens, more than ${maxTokens}; shorten it, or set long=truncate`,
        { place: location, tokens: length, max: maxTokens },
      );
    return { promptTokens, completionTokens: completionTokens.slice(0, room) };
  });
}

function sequencesOf(example: SupervisedExample, tokenizer: ExampleTokenizer, location: string): TrainingSequence[] {
  if ("messages" in example) return turnsOf(example.messages, 0, tokenizer, location);
  const { prompt, completion } = example;
  if (typeof prompt === "string") return [textSequence(prompt, completion as string, tokenizer)];
  return turnsOf([...prompt, ...(completion as readonly ExampleMessage[])], prompt.length, tokenizer, location);
}

function textSequence(prompt: string, completion: string, tokenizer: ExampleTokenizer): TrainingSequence {
  return {
    promptTokens: tokenizer.encodePrompt?.(prompt) ?? tokenizer.encode(prompt),
    completionTokens: [
      ...(suffixOf(tokenizer.encode(prompt), tokenizer.encode(prompt + completion)) ?? tokenizer.encode(completion)),
      tokenizer.endToken,
    ],
  };
}

function turnsOf(
  messages: readonly ExampleMessage[],
  from: number,
  { encodeChat, encode, endToken, endTokens = [endToken] }: ExampleTokenizer,
  location: string,
): TrainingSequence[] {
  if (!encodeChat)
    throw inputError(`${location}: this model has no chat template; write the example as prompt and completion`, {
      place: location,
    });
  const chat = messages.map(({ role, content }) => ({ role, content }));
  return messages.flatMap(({ role, weight = 1, content }, i) => {
    if (role !== "assistant" || weight === 0 || i < from) return [];
    const promptTokens = encodeChat(chat.slice(0, i));
    // The template's turn; plain encoding if the template rewrites earlier text.
    const written = suffixOf(promptTokens, encodeChat(chat.slice(0, i + 1)));
    const end = written?.findIndex((token) => endTokens.includes(token)) ?? -1;
    const completionTokens = written && end >= 0 ? written.slice(0, end + 1) : [...encode(content), endToken];
    return [{ promptTokens, completionTokens }];
  });
}

/** Tokens after a prefix; null if it differs. */
function suffixOf(beginning: readonly number[], tokens: readonly number[]): readonly number[] | null {
  return beginning.every((token, i) => token === tokens[i]) ? tokens.slice(beginning.length) : null;
}
