import type { Prompt, Tokenizer } from "@laconic/core";
import { tooLongError } from "./http.ts";

/** Characters a token; a text below is tokenised once, whole, and counted by the engine. */
const ordinary = 8;

/** A cut can split the word it is in otherwise than the whole text does. */
const slack = 64;

/**
 * Refuses a prompt that cannot fit before all of it is tokenised, which takes seconds for megabytes. Beginnings of the
 * text, twice as long each time, are tokenised until one alone is too long.
 * @throws HttpError 400 when the prompt has more tokens than the context holds
 */
export function checkPromptLength(prompt: Prompt, tokenizer: Tokenizer, contextLength: number): void {
  const tooLong = (): Error =>
    tooLongError(`the prompt is longer than the context of ${contextLength} tokens`, promptParameter(prompt));
  if (prompt.kind === "tokens") {
    if (prompt.tokens.length >= contextLength) throw tooLong();
    return;
  }
  const text = prompt.kind === "text" ? prompt.text : prompt.messages.map(({ content }) => content).join("\n");
  if (text.length <= contextLength * ordinary) return;
  for (let length = 2 * contextLength; length < text.length; length *= 2)
    if (tokenizer.encode(beginning(text, length)).length > contextLength + slack) throw tooLong();
}

function promptParameter({ kind }: Prompt): string {
  return kind === "messages" ? "messages" : "prompt";
}

/** Cut between words where there are any, and never inside a character. */
function beginning(text: string, length: number): string {
  const cut = text.slice(0, length);
  const space = cut.lastIndexOf(" ");
  return (space > length / 2 ? cut.slice(0, space) : cut).replace(/[\ud800-\udbff]$/, "");
}
