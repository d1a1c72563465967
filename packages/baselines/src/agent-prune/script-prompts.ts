import { randomFromSeed, type Prompt } from "@laconic/core";
import { examplesIn, outputsOf, programIn, runTests } from "../code/run-tests.ts";
import { chat } from "../prompts/chat.ts";
import type { RunProgram } from "../protocols/baseline.ts";
import type { Role } from "../protocols/protocol.ts";
import { filled, optionsOf, type Script, textOf } from "../protocols/script.ts";

export interface OnExamples {
  readonly passes: boolean;
  /** It passes at least one example, so readers forward it. */
  readonly solved: boolean;
  /** One line, or a script's text after the program. */
  readonly feedback: string;
}

/**
 * Runs a reply's program on each docstring example separately.
 * @returns null without a program or, without a script, without examples
 */
export async function onExamples(
  question: string,
  reply: string,
  run: RunProgram,
  script: Script | undefined,
): Promise<OnExamples | null> {
  const examples = examplesIn(question);
  // The released code requires one Python block and nothing else.
  const isProgram = script
    ? reply.startsWith("```python") && reply.endsWith("```")
    : examples.length > 0 && programIn(reply, null) !== null;
  if (!isProgram) return null;
  const ends = await runTests(question, reply, examples, run);
  const failed = ends.findIndex((end) => end !== null);
  const solved = failed < 0 && examples.length > 0;
  if (script) {
    const outputs = await outputsOf(question, reply, examples, ends, run);
    return { passes: failed < 0, solved, feedback: releasedFeedback(script, examples, outputs) };
  }
  const feedback =
    failed < 0
      ? "The program passes the examples."
      : `The program fails example ${failed + 1} of ${examples.length}: ${ends[failed] ?? ""}`;
  return { passes: failed < 0, solved, feedback };
}

function releasedFeedback(script: Script, tests: readonly string[], outputs: readonly (string | null)[]): string {
  const passed = tests.filter((_, i) => outputs[i] === null);
  const failed = tests.flatMap((test, i) => {
    const output = outputs[i] ?? null;
    if (output === null) return [];
    return filled(textOf(script, "output"), test, output === "time" ? textOf(script, "no output") : output);
  });
  return `${textOf(script, "passed")}${passed.join("\n")}${textOf(script, "passed not")}\n${failed.join("\n")}`;
}

export interface Heard {
  /** Number in the team, from 0. */
  readonly number: number;
  readonly role: Role;
  readonly text: string;
  readonly tried?: OnExamples | null;
}

/**
 * AgentPrune's released request.
 * @param title - role title or `alone`
 * @param heard - replies of this and the last round, or only answers as a hint
 */
export function prunePrompt(
  script: Script,
  title: string,
  question: string,
  heard:
    | { readonly now: readonly Heard[]; readonly before: readonly Heard[] }
    | { readonly answers: readonly string[] },
): Prompt {
  const ask = `${textOf(script, `examples ${title}`)}${filled(textOf(script, "ask"), taskOf(script, question))}`;
  const listed = (frame: string, when: "" | "earlier ", replies: readonly Heard[]): string =>
    replies.length === 0 ? "" : filled(textOf(script, frame), textsOf(script, when, replies));
  const received =
    "answers" in heard
      ? [textOf(script, "hint"), ...heard.answers.map((answer) => ` ${answer}`), textOf(script, "hint end")].join("")
      : `${listed("now", "", heard.now)}${listed("earlier", "earlier ", heard.before)}`;
  return chat(textOf(script, title), `${ask}${received}`);
}

export function pruneDecision(script: Script, question: string, final: readonly Heard[]): Prompt {
  const task = taskOf(script, question);
  const [role, constraint] = [textOf(script, "decision role"), textOf(script, "decision constraint")];
  const system = filled(textOf(script, "decision system"), role, constraint);
  const frame = textOf(script, "decision task");
  // Programs: all results; answers: only replies, after examples.
  if (textOf(script, "program") !== "") return chat(system, filled(frame, task, textsOf(script, "", final)));
  const outputs = final.map(({ number, text }) => `${idOf(number)}: ${text}\n\n`).join("");
  return chat(system, filled(frame, textOf(script, "decision examples"), task, outputs));
}

export function withReturned(script: Script, reply: string, returned: string): string {
  return `${reply}${filled(textOf(script, "printed"), returned)}`;
}

/** The released code reads the program's variable `answer`, not its output. */
export function printingAnswer(program: string): string {
  return `${program}\nprint(globals().get("answer"))`;
}

function taskOf(script: Script, question: string): string {
  const options = textOf(script, "options");
  if (options === "") return question;
  const parts = optionsOf(question);
  return filled(options, parts.stem, ...parts.options);
}

function textsOf(script: Script, when: "" | "earlier ", heard: readonly Heard[]): string {
  const texts = heard.map(({ number, role: { title = "" }, text, tried }) => {
    const values = [idOf(number), textOf(script, `named ${title}`) || title, text];
    if (!tried) return filled(textOf(script, `${when}reply`), ...values);
    return filled(textOf(script, `${when}program`), ...values, tried.passes ? "True" : "False", tried.feedback);
  });
  return texts.join("");
}

const alphabet = Array.from("23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz");

/** The released code draws four characters per run. */
function idOf(number: number): string {
  const random = randomFromSeed(`agentprune/${number}`);
  return Array.from({ length: 4 }, () => random.pick(alphabet)).join("");
}
