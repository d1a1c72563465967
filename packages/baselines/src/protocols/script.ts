import type { Prompt } from "@laconic/core";
import type { Protocol } from "./protocol.ts";

/** Texts that a method's authors published, which its requests are then written with, word for word. */
export interface Script {
  /** As `Protocol.scripts` names it. */
  readonly name: string;
  /** Worked examples in a request. */
  readonly examples: number;
  /** By name; which there are follows from the script's own. */
  readonly texts: Readonly<Record<string, string>>;
  /** Of all texts: records of other words are other samples. */
  readonly sha256: string;
}

/** The script that a protocol's requests on a benchmark are published with; null where none is known. */
export function scriptNameOf(
  { scripts = {} }: Pick<Protocol, "scripts">,
  benchmark: string | undefined,
): string | null {
  return benchmark !== undefined && Object.hasOwn(scripts, benchmark) ? (scripts[benchmark] ?? null) : null;
}

/** A text of a script. Its names are fixed with the files, so that one that lacks is an empty text of ours. */
export function textOf({ texts }: Script, name: string): string {
  return texts[name] ?? "";
}

/** Values in a Python format string: `{}`, or `{name}`, in turn, and doubled braces once. */
export function filled(template: string, ...values: readonly string[]): string {
  let next = 0;
  return template.replaceAll(/\{\{|\}\}|\{[^{}]*\}/gu, (mark) =>
    mark === "{{" || mark === "}}" ? mark.charAt(0) : (values[next++] ?? ""),
  );
}

/** Progressive-Hint's request: a system message, then examples and question in one message. */
export function shownPrompt(script: Script, examples: "base" | "hinted", question: string): Prompt {
  const base = textOf(script, examples);
  const mark = base.startsWith("Q:") ? "Q" : "Question";
  return {
    kind: "messages",
    messages: [
      { role: "system", content: textOf(script, "system") },
      { role: "user", content: `${base}\n\n${mark}: ${question}\nA:` },
    ],
  };
}

/** A question's text, and its options where its last lines are those. */
export function optionsOf(question: string): { readonly stem: string; readonly options: readonly string[] } {
  const found = /\nA\) [^\n]*(?:\n[B-E]\) [^\n]*)+$/u.exec(question);
  if (!found) return { stem: question, options: [] };
  const options = found[0].split("\n").slice(1);
  return { stem: question.slice(0, found.index), options: options.map((line) => line.slice(3)) };
}

/** Options as Progressive-Hint writes them: behind the question, with a space around every parenthesis, those of an option too. */
export function withAnswerChoices(question: string): string {
  const { stem, options } = optionsOf(question);
  if (options.length === 0) return question.trim();
  const listed = options.map((option, i) => `(${"ABCDE"[i]})${option}`).join("");
  return `${stem.trim()} Answer Choices:${listed.replaceAll("(", " (").replaceAll(")", ") ")}`;
}
