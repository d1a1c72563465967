import { randomFromSeed, type Prompt } from "@laconic/core";
import { writeJson } from "@laconic/core/json";
import { firstObject } from "../playing/json-reply.ts";
import { chat } from "../prompts/chat.ts";
import { filled, optionsOf, type Script, textOf } from "../protocols/script.ts";

export interface AdasAgent {
  readonly name: string;
  /** Default: the released role. */
  readonly role?: string;
  readonly fields: readonly string[];
}

export interface AdasInfo {
  readonly field: string;
  readonly author: string;
  /** Attempt number, from 1. */
  readonly attempt: number;
  readonly content: string;
}

export function adasPrompt(
  script: Script,
  { name, role = textOf(script, "default role"), fields }: AdasAgent,
  question: string,
  infos: readonly AdasInfo[],
  instruction: string,
): Prompt {
  const described = fields.map(
    (field) => `'${field}': '${filled(textOf(script, field === "answer" ? "answer field" : "field"), field)}'`,
  );
  const system = `${filled(textOf(script, "role"), role)}\n\n${filled(textOf(script, "form"), `{${described.join(", ")}}`)}`;
  const shown = infos.map(({ field, author, attempt, content }) => {
    const who = `${author} ${idOf(author)}${author === name ? textOf(script, "own") : ""}`;
    return filled(textOf(script, "numbered info"), field, String(attempt), who, content);
  });
  const task = filled(textOf(script, "task"), taskOf(script, question));
  return chat(system, `${task}${shown.join("")}${textOf(script, instruction)}`);
}

export function adasFields(reply: string, fields: readonly string[]): Readonly<Record<string, string>> {
  const input = firstObject(reply) ?? {};
  return Object.fromEntries(fields.map((field) => [field, printed(input[field])]));
}

function printed(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === undefined ? "" : writeJson(value);
}

function taskOf(script: Script, question: string): string {
  const template = textOf(script, "options").trim();
  if (template === "") return `${textOf(script, "question")}${question}`;
  const { stem, options } = optionsOf(question);
  return filled(template, stem, ...options);
}

const alphabet = Array.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

/** The released code draws four characters per question. */
function idOf(name: string): string {
  const random = randomFromSeed(`adas/${name}`);
  return Array.from({ length: 4 }, () => random.pick(alphabet)).join("");
}
