import { isHeading, type Passage } from "./facts.ts";
import { sentencesOf, type Stretch } from "./sentences.ts";

/**
 * Facts of a function to complete: its signature, the sentences of its docstring, each example. Imports, helper functions
 * and the function's name are the question. A text without a function gives no fact.
 */
export function programPassages(text: string): Passage[] {
  const head = [...text.matchAll(/^(?:async[ \t]+)?def[ \t]+(\w+)/gmu)].at(-1);
  if (!head) return [{ text, fact: false }];
  const start = head.index + head[0].length;
  const opening = /("""|''')/u.exec(text.slice(start));
  const docstring = opening ? start + opening.index + opening[0].length : text.length;
  const closing = opening ? text.lastIndexOf(opening[1]!) : -1;
  const end = closing > docstring ? closing : text.length;
  const pieces = piecesOf(text, { start: docstring, end }, head[1]!);
  const last = pieces.at(-1);
  const facts = [{ start, end: docstring }, ...pieces.slice(0, -1), ...(last ? [{ ...last, end: text.length }] : [])];
  return [
    { text: text.slice(0, start), fact: false },
    ...facts
      .filter((fact) => fact.end > fact.start)
      .map((fact) => ({ text: text.slice(fact.start, fact.end), fact: true })),
  ];
}

/** Sentences and examples; a heading joins the next one. White space is at their start. */
function piecesOf(text: string, { start, end }: Stretch, name: string): Stretch[] {
  const ends = blocksOf(text.slice(start, end), name).flatMap((block) =>
    block.example
      ? [start + block.end]
      : sentencesOf(text.slice(start + block.start, start + block.end)).map(
          (sentence) => start + block.start + sentence.end,
        ),
  );
  const pieces: Stretch[] = [];
  let from = start;
  for (const position of ends) {
    const to = start + text.slice(start, position).trimEnd().length;
    const piece = text.slice(from, to);
    if (to <= from || isHeading(piece)) continue;
    pieces.push({ start: from, end: to });
    from = to;
  }
  return pieces.length === 0 && end > start ? [{ start, end }] : pieces;
}

/** Runs of lines: an example is a call with its output, up to the next call or a blank line. */
function blocksOf(doc: string, name: string): (Stretch & { readonly example: boolean })[] {
  const call = new RegExp(String.raw`^\s*(?:>>>|assert\b)|(?<![\w.])${name}\s*\(`, "u");
  const blocks: (Stretch & { readonly example: boolean })[] = [];
  let position = 0;
  for (const line of doc.split(/(?<=\n)/u)) {
    const [start, end] = [position, position + line.length];
    position = end;
    const last = blocks.at(-1);
    const goesOn = last && !call.test(line) && (!last.example || line.trim() !== "");
    if (goesOn) blocks[blocks.length - 1] = { ...last, end };
    else blocks.push({ start, end, example: call.test(line) });
  }
  return blocks;
}
