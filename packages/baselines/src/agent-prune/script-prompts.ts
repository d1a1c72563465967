import { randomFromSeed, type Prompt } from "@laconic/core";
import { chat } from "../prompts/chat.ts";
import type { Role } from "../protocols/protocol.ts";
import type { OnExamples } from "./on-examples.ts";
import { filled, optionsOf, type Script, textOf } from "../protocols/script.ts";

/** What an agent of AgentPrune holds after a round, as others read it. */
export interface Heard {
  /** Its number in the team, from 0. */
  readonly number: number;
  readonly role: Role;
  readonly text: string;
  /** Of a program: how it did on the question's examples. */
  readonly tried?: OnExamples | null;
}

/** What an agent reads besides the question: of this round, and of the round before. */
export interface HeardNow {
  readonly now: readonly Heard[];
  readonly before: readonly Heard[];
}

/**
 * An agent's request in AgentPrune's words.
 * @param title - of its role; `alone` for the one that has none
 * @param answers - of all that it hears, for the one that hears answers alone; null for all others
 */
export function prunePrompt(
  script: Script,
  title: string,
  question: string,
  { now, before }: HeardNow,
  answers: readonly string[] | null,
): Prompt {
  const ask = `${textOf(script, `examples ${title}`)}${filled(textOf(script, "ask"), taskOf(script, question))}`;
  const heard = answers
    ? `${textOf(script, "hint")}${answers.map((answer) => ` ${answer}`).join("")}${textOf(script, "hint end")}`
    : `${listed(script, "now", "", now)}${listed(script, "earlier", "earlier ", before)}`;
  return chat(textOf(script, title), `${ask}${heard}`);
}

/** The decision's request. */
export function pruneDecision(script: Script, question: string, final: readonly Heard[]): Prompt {
  const task = taskOf(script, question);
  const system = filled(
    textOf(script, "decision system"),
    textOf(script, "decision role"),
    textOf(script, "decision constraint"),
  );
  const frame = textOf(script, "decision task");
  // Of programs it reads what agents do; of answers the replies alone, below examples.
  if (textOf(script, "program") !== "") return chat(system, filled(frame, task, textsOf(script, "", final)));
  const outputs = final.map(({ number, text }) => `${idOf(number)}: ${text}\n\n`).join("");
  return chat(system, filled(frame, textOf(script, "decision examples"), task, outputs));
}

/** A program's reply with what it returned, as everybody reads it. */
export function withReturned(script: Script, reply: string, returned: string): string {
  return `${reply}${filled(textOf(script, "printed"), returned)}`;
}

/** The released harness reads the variable `answer` of a program, not what it prints. */
export function printingAnswer(program: string): string {
  return `${program}\nprint(globals().get("answer"))`;
}

function taskOf(script: Script, question: string): string {
  const options = textOf(script, "options");
  if (options === "") return question;
  const parts = optionsOf(question);
  return filled(options, parts.stem, ...parts.options);
}

function listed(script: Script, frame: string, when: "" | "earlier ", heard: readonly Heard[]): string {
  return heard.length === 0 ? "" : filled(textOf(script, frame), textsOf(script, when, heard));
}

function textsOf(script: Script, when: "" | "earlier ", heard: readonly Heard[]): string {
  const texts = heard.map(({ number, role: { title = "" }, text, tried }) => {
    const said = [idOf(number), textOf(script, `named ${title}`) || title, text];
    if (!tried) return filled(textOf(script, `${when}reply`), ...said);
    return filled(textOf(script, `${when}program`), ...said, tried.passes ? "True" : "False", tried.feedback);
  });
  return texts.join("");
}

/** Letters and digits that are not taken for each other, as the library has them that the released code draws names with. */
const alphabet = Array.from("23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz");

/** Four characters by number: the released code draws them for each run. */
function idOf(number: number): string {
  const random = randomFromSeed(`agentprune/${number}`);
  return Array.from({ length: 4 }, () => random.pick(alphabet)).join("");
}
