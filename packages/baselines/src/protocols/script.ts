import type { Prompt } from "@laconic/core";
import type { Protocol } from "./protocol.ts";

/** Published prompts, used verbatim. */
export interface Script {
  /** Name in `Protocol.scripts`. */
  readonly name: string;
  /** Worked examples per request. */
  readonly examples: number;
  /** Texts by name; the set depends on the script. */
  readonly texts: Readonly<Record<string, string>>;
  /** Hash of all texts. */
  readonly sha256: string;
}

/** Script of a protocol on a benchmark; null if unknown. */
export function scriptNameOf(
  { scripts = {} }: Pick<Protocol, "scripts">,
  benchmark: string | undefined,
): string | null {
  return benchmark !== undefined && Object.hasOwn(scripts, benchmark) ? (scripts[benchmark] ?? null) : null;
}

export function textOf({ texts }: Script, name: string): string {
  return texts[name] ?? "";
}

/** Fills a Python format string. */
export function filled(template: string, ...values: readonly string[]): string {
  let next = 0;
  return template.replaceAll(/\{\{|\}\}|\{[^{}]*\}/gu, (mark) =>
    mark === "{{" || mark === "}}" ? mark.charAt(0) : (values[next++] ?? ""),
  );
}

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

export function optionsOf(question: string): { readonly stem: string; readonly options: readonly string[] } {
  const match = /\nA\) [^\n]*(?:\n[B-E]\) [^\n]*)+$/u.exec(question);
  if (!match) return { stem: question, options: [] };
  const options = match[0].split("\n").slice(1);
  return { stem: question.slice(0, match.index), options: options.map((line) => line.slice(3)) };
}

/** Options after the question, with spaces around all parentheses. */
export function withAnswerChoices(question: string): string {
  const { stem, options } = optionsOf(question);
  if (options.length === 0) return question.trim();
  const listed = options.map((option, i) => `(${"ABCDE"[i]})${option}`).join("");
  return `${stem.trim()} Answer Choices:${listed.replaceAll("(", " (").replaceAll(")", ") ")}`;
}
