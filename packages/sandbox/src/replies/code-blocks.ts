import MarkdownIt from "markdown-it";

/** A code block of a Markdown text. */
export interface CodeBlock {
  /** First word of the info string in lower case, such as `python3.11`; empty without one. */
  readonly language: string;
  /** Content without fence, container marks and their indentation. */
  readonly code: string;
  /** False for a block that only its indentation of four columns marks. */
  readonly fenced: boolean;
  /** The character of the fence; empty without a fence. */
  readonly mark: string;
}

/** Code blocks in their order, and the lines outside fences. */
export interface MarkdownCode {
  readonly blocks: readonly CodeBlock[];
  readonly rest: string;
}

/** Without HTML blocks, in which a tag such as `</think>` hides a fence on the next line, and without references, which end a paragraph early. */
const markdown = new MarkdownIt("commonmark").disable(["html_block", "reference"]);

/** Max depth of Markdown in code blocks. */
const maxDepth = 3;

/** Reads the code blocks of a Markdown text as CommonMark 0.31 does. Lines end with `\n`. */
export function codeBlocks(text: string, depth = 0): MarkdownCode {
  const tokens: ReturnType<typeof markdown.parse> = [];
  markdown.block.parse(text, markdown, {}, tokens);
  const lines: (string | null)[] = text.split("\n");
  const blocks = tokens.flatMap(({ type, info, content: code, map, markup }): readonly CodeBlock[] => {
    const fenced = type === "fence";
    if (!fenced && type !== "code_block") return [];
    if (fenced && map) lines.fill(null, ...map);
    const language = /[\w.+#-]*\w[\w+#-]*/u.exec(info)?.[0].replace(/^\.+/u, "").toLowerCase() ?? "";
    const inner = depth < maxDepth && !isPython(language) ? codeBlocks(code, depth + 1).blocks : [];
    const nested = inner.filter((block) => block.fenced);
    return nested.length > 0 ? nested : [{ language, code, fenced, mark: markup.slice(0, 1) }];
  });
  return { blocks, rest: lines.filter((line) => line !== null).join("\n") };
}

/** Whether the language of a block is Python: `py`, `python3.11`, `ipython`, `main.py`. */
export function isPython(language: string): boolean {
  return /^(?:i|c|[\w-]+[.-])?py(?:thon)?[\d.]*$/u.test(language);
}
