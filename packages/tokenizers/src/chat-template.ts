import { Template } from "@huggingface/jinja";
import { LaconicError, thrownText, type ChatMessage } from "@laconic/core";
import { boundedRange } from "./bounded-range.ts";
import { pythonStrings } from "./python-strings.ts";
import { anyOf, controlMarks, type ControlMarks } from "./control-marks.ts";

/** A piece of a rendered chat: a control token of the template's own, or text. */
export type ChatPiece =
  | { readonly control: string }
  /** `parts` are the same text, cut so that none of them spells a control token. */
  | { readonly text: string; readonly parts: readonly string[] };

/**
 * Renders chats as transformers' `apply_chat_template` does with `add_generation_prompt=True`, except that control tokens
 * come from the template alone: a message that spells one stays text.
 *
 * The template sees every message as it is, but for the control tokens in it: their first characters are other ones until
 * it is done.
 *
 * @param controls - texts of the control tokens
 * @param variables - what the template may read beside the messages: `bos_token`, `enable_thinking`, `tools`, ...
 * @throws LaconicError `model_unsupported` for a template that cannot be parsed; from the renderer `input_invalid` when it
 * refuses the messages.
 */
export function chatRenderer(
  source: string,
  controls: Iterable<string>,
  variables: Readonly<Record<string, unknown>>,
): (messages: readonly ChatMessage[]) => ChatPiece[] {
  const template = parse(source);
  const builtIns = { ...pythonStrings(template), ...boundedRange(template) };
  const tokens = [...controls].toSorted((a, b) => b.length - a.length);
  const pattern = anyOf(tokens);
  const splitter = new RegExp(`(${pattern.source})`, "g");
  const render = (messages: readonly ChatMessage[]): string => {
    try {
      // transformers hands these two over in any case.
      return template.render({
        tools: null,
        documents: null,
        ...variables,
        ...builtIns,
        messages,
        add_generation_prompt: true,
      });
    } catch (error) {
      const reason = thrownText(error);
      throw new LaconicError("input_invalid", `the chat template refuses these messages: ${reason}`, {}, error);
    }
  };
  const controlsIn = (text: string): number => text.match(pattern)?.length ?? 0;
  return (messages) => {
    const contents = messages.map(({ content }) => content);
    const marks = controlMarks(tokens, [source, JSON.stringify(variables), ...contents]);
    const rendered = (hide: ControlMarks["hide"]): string =>
      render(messages.map((message) => ({ ...message, content: hide(message.content) })));
    let text = rendered(marks.hide);
    // A template that takes something out of a message may join a control token that was none before.
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

function parse(source: string): Template {
  try {
    return new Template(source);
  } catch (error) {
    const reason = thrownText(error);
    throw new LaconicError("model_unsupported", `the chat template cannot be parsed: ${reason}`, {}, error);
  }
}
