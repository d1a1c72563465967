import { Template } from "@huggingface/jinja";
import { LaconicError, type ChatMessage } from "@laconic/core";

/** A piece of a rendered chat: a control token of the template's own, or plain text. */
export type ChatPiece = { readonly special: string } | { readonly text: string };

/** Private-use characters around a message's number: no template text contains them. */
const [open, close] = ["\uE000", "\uE001"];

/**
 * Renders a chat template so that control tokens come from the template alone: a message that spells one stays text.
 *
 * @param specials - texts of the control tokens
 * @param variables - what the template may read beside the messages, such as `bos_token`
 * @throws LaconicError `model_unsupported` for a template that cannot be parsed or that rewrites messages,
 * `input_invalid` when it refuses the messages.
 */
export function chatRenderer(
  source: string,
  specials: Iterable<string>,
  variables: Readonly<Record<string, unknown>>,
): (messages: readonly ChatMessage[]) => ChatPiece[] {
  const template = parse(source);
  const render = (messages: readonly ChatMessage[]): string => {
    try {
      return template.render({ ...variables, messages, add_generation_prompt: true });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new LaconicError("input_invalid", `the chat template refuses these messages: ${reason}`, {}, error);
    }
  };
  const tokens = [...specials].filter((text) => text !== "").toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(`(${[...tokens.map(escape), `${open}\\d+${close}`].join("|")})`);
  return (messages) => {
    const marked = render(messages.map((message, i) => ({ ...message, content: `${open}${i}${close}` })));
    const whole = render(messages);
    const parts = marked.split(pattern);
    for (const form of [(text: string) => text, (text: string) => text.trim()]) {
      const contents = messages.map(({ content }) => form(content));
      const pieces = assemble(parts, contents, new Set(tokens));
      if (pieces.map((piece) => ("special" in piece ? piece.special : piece.text)).join("") === whole) return pieces;
    }
    throw new LaconicError("model_unsupported", "the chat template rewrites messages; only trimming is supported");
  };
}

/** Plain text runs on across message borders, as it does in one string. */
function assemble(parts: readonly string[], contents: readonly string[], specials: ReadonlySet<string>): ChatPiece[] {
  const pieces: ChatPiece[] = [];
  let text = "";
  const flush = (): void => {
    if (text !== "") pieces.push({ text });
    text = "";
  };
  for (const part of parts)
    if (specials.has(part)) {
      flush();
      pieces.push({ special: part });
    } else if (part.startsWith(open)) text += contents[Number(part.slice(1, -1))] ?? "";
    else text += part;
  flush();
  return pieces;
}

function parse(source: string): Template {
  try {
    return new Template(source);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LaconicError("model_unsupported", `the chat template cannot be parsed: ${reason}`, {}, error);
  }
}

function escape(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}
