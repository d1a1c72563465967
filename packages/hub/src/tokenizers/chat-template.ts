import { LaconicError, thrownText, type ChatMessage } from "@laconic/core";
import { anyOf, controlMarks, type ControlMarks } from "./control-marks.ts";
import { refusal } from "./jinja/errors.ts";
import { dateText } from "./date-text.ts";
import { compileTemplate } from "./jinja/template.ts";
import { fromJson, type Arguments, type Value } from "./jinja/values.ts";

export type ChatPiece =
  | { readonly control: string }
  /** `parts` are the same text, cut so that none spells a control token. */
  | { readonly text: string; readonly parts: readonly string[] };

/**
 * Renders chats as transformers' `apply_chat_template` with `add_generation_prompt=True`, except that only the
 * template writes control tokens. While it runs, the first characters of control tokens in messages are replaced by
 * marks.
 * @param controls - texts of the control tokens
 * @param variables - `bos_token`, `enable_thinking`, `tools`, ...
 * @param now - time for `strftime_now`
 * @throws LaconicError `model_unsupported` for an invalid or unsupported template, also while rendering; the renderer
 * throws `input_invalid` if the template rejects the messages
 */
export function chatRenderer(
  source: string,
  controls: Iterable<string>,
  variables: Readonly<Record<string, unknown>>,
  now: () => Date,
): (messages: readonly ChatMessage[]) => ChatPiece[] {
  const template = rejecting("model_unsupported", "cannot be parsed", () => compileTemplate(source));
  const tokens = [...controls].toSorted((a, b) => b.length - a.length);
  const pattern = anyOf(tokens);
  const splitter = new RegExp(`(${pattern.source})`, "g");
  const context = contextOf(variables, now);
  const render = (messages: readonly ChatMessage[]): string =>
    rejecting("input_invalid", "rejects these messages", () =>
      template({ ...context, messages: fromJson(messages), add_generation_prompt: true }),
    );
  const controlsIn = (text: string): number => text.match(pattern)?.length ?? 0;
  return (messages) => {
    const contents = messages.map(({ content }) => content);
    const marks = controlMarks(tokens, [source, JSON.stringify(variables), ...contents]);
    const rendered = (hide: ControlMarks["hide"]): string =>
      render(messages.map((message) => ({ ...message, content: hide(message.content) })));
    let text = rendered(marks.hide);
    // Removing part of a message can join the pieces of a control token.
    if (contents.some((content) => marks.hideAll(content) !== marks.hide(content))) {
      const safe = rendered(marks.hideAll);
      if (controlsIn(text) > controlsIn(safe)) text = safe;
    }
    return text.split(splitter).flatMap((piece, i): ChatPiece[] => {
      if (i % 2 === 1) return [{ control: piece }];
      return piece === "" ? [] : [{ text: marks.show(piece), parts: marks.cut(piece) }];
    });
  };
}

function contextOf(variables: Readonly<Record<string, unknown>>, now: () => Date): Readonly<Record<string, Value>> {
  const strftimeNow = ({ list, named }: Arguments): Value => {
    const format = list[0] ?? named.get("format");
    if (typeof format !== "string" || list.length + named.size > 1) throw refusal("strftime_now takes one string");
    return dateText(now(), format);
  };
  const converted = Object.entries(variables)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, fromJson(value)] as const);
  const strftime: Value = { type: "function", call: strftimeNow };
  return { strftime_now: strftime, tools: null, documents: null, ...Object.fromEntries(converted) };
}

/**
 * Adds the template to error messages. A RangeError is a recursion or text beyond JavaScript's limits; other errors
 * are bugs.
 */
function rejecting<T>(code: "model_unsupported" | "input_invalid", problem: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (LaconicError.is(error) ? error.code === "model_unsupported" : !(error instanceof RangeError)) throw error;
    throw new LaconicError(code, `the chat template ${problem}: ${thrownText(error)}`, {}, error);
  }
}
