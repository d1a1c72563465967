/** Thought markers of reasoning models. */
const marks: readonly (readonly [open: string, close: string])[] = [
  // most models, and the scratch pad of Hermes 2 Pro
  ...["think", "thinking", "thought", "reasoning", "scratch_pad", "seed:think"].map(
    (tag) => [`<${tag}>`, `</${tag}>`] as const,
  ),
  ["[THINK]", "[/THINK]"], // Mistral
  ["◁think▷", "◁/think▷"], // Kimi
  ["<|START_THINKING|>", "<|END_THINKING|>"], // Cohere
  ["<|channel>thought", "<channel|>"], // Gemma 4
  ["<|channel|>analysis", "<|end|>"], // Harmony (gpt-oss)
];
const closeOf: ReadonlyMap<string, string> = new Map(marks);
const escaped = (mark: string) => mark.replaceAll(/[[\]|]/gu, String.raw`\$&`);
const anOpen = new RegExp(marks.map(([open]) => escaped(open)).join("|"), "gu");
/** Harmony ends all messages with the same marker. */
const aClose = new RegExp(marks.flatMap(([, close]) => (close === "<|end|>" ? [] : escaped(close))).join("|"), "u");

/** Part of a reply; the parts join to its text. */
export interface ReplyPart {
  readonly text: string;
  readonly isThought: boolean;
}

/**
 * Splits a reply into thoughts and other text. An unclosed thought ends with the reply. A reply whose first marker
 * closes a thought begins inside it, because some chat templates open it in the prompt.
 */
export function replyParts(text: string): ReplyPart[] {
  const parts: ReplyPart[] = [];
  const add = (start: number, end: number, isThought: boolean): void => {
    if (end > start) parts.push({ text: text.slice(start, end), isThought });
  };
  const firstClose = aClose.exec(text);
  const firstOpen = text.search(anOpen);
  let position = 0;
  if (firstClose && (firstOpen < 0 || firstClose.index < firstOpen)) {
    position = firstClose.index + firstClose[0].length;
    add(0, position, true);
  }
  for (;;) {
    anOpen.lastIndex = position;
    const open = anOpen.exec(text);
    if (!open) break;
    const close = closeOf.get(open[0])!;
    const closed = text.indexOf(close, anOpen.lastIndex);
    const end = closed < 0 ? text.length : closed + close.length;
    add(position, open.index, false);
    add(open.index, end, true);
    position = end;
  }
  add(position, text.length, false);
  return parts;
}

/** Removes thoughts; returns the whole reply if nothing else is left. */
export function withoutThoughts(text: string): string {
  const visible = replyParts(text).flatMap((part) => (part.isThought ? [] : part.text));
  return visible.join("").trim() === "" ? text : visible.join("");
}
