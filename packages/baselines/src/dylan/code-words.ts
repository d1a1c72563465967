import type { Prompt } from "@laconic/core";
import { quote } from "@laconic/topologies";
import { codeIn } from "../code/run-tests.ts";
import { chat, roleLine, asked } from "../prompts/chat.ts";
import type { Role } from "../protocols/protocol.ts";
import { filled, type Script, textOf } from "../protocols/script.ts";
import { scoreForm } from "./team.ts";

export type Remarker = "passer" | "tester" | "reflector";

export interface SeenProgram {
  readonly text: string;
  readonly remarks: ReadonlyMap<Remarker, string>;
}

/** A test and its failure; null if passed. */
interface TestResult {
  readonly test: string;
  readonly failure: string | null;
}

export interface CodeWords {
  readonly program: (question: string, reply: string) => string;
  readonly write: (role: Role | undefined, question: string) => Prompt;
  readonly rewrite: (role: Role | undefined, question: string, programs: readonly SeenProgram[]) => Prompt;
  readonly test: (question: string) => Prompt;
  readonly reflect: (question: string, programs: readonly string[]) => Prompt;
  readonly rank: (question: string, programs: readonly string[]) => Prompt;
  readonly choose: (question: string, programs: readonly string[]) => Prompt;
  readonly ran: (error: string | null) => string;
  readonly tested: (results: readonly TestResult[]) => string;
  /** Remarks, one per program. */
  readonly reflections: (reply: string, count: number) => readonly string[];
  /** Shown for a failed test: its error, or the call's result. */
  readonly failures: "errors" | "outputs";
}

const testerDuty = `Write unit tests for the function: up to ten different assertions, one a line, each beginning with assert. Write nothing else. Example, for def larger(a, b), which returns the larger number:
assert larger(1, 2) == 2
assert larger(-1, -2) == -1
assert larger(3, 3) == 3`;
const rankerDuty =
  "Choose the two programs that do best what the function's description says, edge cases and speed included. End with their numbers as [i, j].";

const reflectorDuty = `Say of each program whether and why it is wrong. Put what you say of program n behind a line "Reflection n:". End with a score of each program from 1 to 5, in their order, as ${scoreForm}. Example, of programs for larger(a, b):
Reflection 1:
Right: it compares both ways.
Reflection 2:
Wrong for equal numbers: it returns None.`;

const names: Readonly<Record<Remarker, string>> = {
  passer: "Syntax check",
  tester: "Unit tests",
  reflector: "Reflection",
};

export function ownCodeWords(answerForm: string): CodeWords {
  const system = (role: Role | undefined): string =>
    [roleLine(role), answerForm].filter((part) => part !== "").join(" ");
  const below = (question: string, programs: readonly string[]): string =>
    [question, ...programs.map((program, i) => `Program ${i + 1}:\n${quote(program)}`)].join("\n\n");
  return {
    program: codeIn,
    write: (role, question) => chat(system(role), question),
    rewrite: (role, question, programs) => {
      const parts = programs.flatMap(({ text, remarks }, i) => [
        `Program ${i + 1}:\n${quote(text)}`,
        ...[...remarks].map(([judge, reply]) => `${names[judge]} of program ${i + 1}:\n${quote(reply)}`),
      ]);
      const judges = [...(programs[0]?.remarks.keys() ?? [])].map((judge) => names[judge].toLowerCase()).join(", ");
      const task = `Write a better program, or the same where nothing is wrong. Before it, score how much each of these helped from 1 to 5, as ${scoreForm}: ${judges}.`;
      return chat(system(role), [question, ...parts, task].join("\n\n"));
    },
    test: (question) => chat(testerDuty, question),
    reflect: (question, programs) => chat(reflectorDuty, below(question, programs)),
    rank: (question, programs) => chat(rankerDuty, below(question, programs)),
    choose: (question, programs) =>
      chat("Choose the best two programs. End with their numbers as [i, j].", below(question, programs)),
    ran: (error) => error ?? "runs without an error",
    tested: (results) =>
      results.length === 0
        ? "no tests"
        : results
            .map(({ test, failure }) =>
              failure === null ? `passed: ${test}` : `failed: ${test}${failure && ` # ${failure}`}`,
            )
            .join("\n"),
    reflections: (reply, count) => {
      const parts = reply
        .replaceAll(/\[\[[^[\]]{0,400}\]\]/gu, "")
        .split(/^[ \t]*Reflection[ \t]+\d+[ \t]*:/gimu)
        .slice(1);
      return parts.length === count
        ? parts.map((part) => part.trim())
        : Array.from({ length: count }, () => "no reflection");
    },
    failures: "errors",
  };
}

const keys: Readonly<Record<Remarker, string>> = { passer: "Passer", tester: "Tester", reflector: "Reflector" };

/** Released HumanEval prompts; the first layer uses the prompt of later layers. */
export function releasedCodeWords(script: Script): CodeWords {
  const of = (name: string, ...values: readonly string[]): string => filled(textOf(script, name), ...values);
  const verbatim = (name: string): string => textOf(script, name);
  const listed = (head: string, name: string, programs: readonly string[]): string =>
    [verbatim(head), ...programs.map((program, i) => of(name, String(i + 1), program))].join("");
  return {
    program: programIn,
    write: (role, question) => asked(of("write", of("fence", question)), verbatim(`first ${keyOf(role)}`)),
    rewrite: (role, question, programs) => {
      // Merges equal programs; the last remarks remain.
      const distinct = [...new Map(programs.map((program) => [program.text, program])).values()];
      const shown = distinct.map(({ text, remarks }, i) => {
        const replies = [...remarks].map(
          ([judge, remark]) => `${of(`remark ${keys[judge]}`, String(i + 1))}${remark}\n\n`,
        );
        return `${of("previous", String(i + 1), text)}${replies.join("")}`;
      });
      const judges = [...(programs[0]?.remarks.keys() ?? [])].map((judge) => verbatim(`named ${keys[judge]}`));
      const named = [judges.slice(0, -1).join(", "), ...judges.slice(-1)].filter((part) => part !== "").join(" and ");
      const task = of("rewrite", question, named, String(judges.length));
      return asked(`${shown.join("")}${task}`, verbatim(keyOf(role)));
    },
    test: (question) => asked(of("test", question), of("tester", verbatim("tester example"))),
    reflect: (_, programs) =>
      asked(
        `${listed("programs", "program", programs)}${of("reflect", String(programs.length))}`,
        of("reflector", verbatim("reflector example")),
      ),
    rank: (question, programs) =>
      asked(`${listed("ranked programs", "ranked", programs)}${of("rank", question)}`, verbatim("judge-ranker")),
    choose: (question, programs) => asked(`${listed("chosen programs", "ranked", programs)}${of("choose", question)}`),
    ran: (error) => {
      if (error === null) return verbatim("runs");
      return `${verbatim("does not run")}${error === "time" ? verbatim("timed out") : of("failed", messageOf(error))}`;
    },
    tested: (results) => {
      const lines = (mark: string, tests: readonly string[]): string[] =>
        tests.length === 0 ? [] : [`${verbatim(mark)}${tests.map((test) => `${test}\n`).join("")}`];
      const passed = results.filter(({ failure }) => failure === null).map(({ test }) => test);
      const failed = results.flatMap(({ test, failure }) =>
        failure === null ? [] : `${test}${verbatim("output")}${failure === "time" ? verbatim("no output") : failure}`,
      );
      return [...lines("passed", passed), ...lines("passed not", failed)].join("\n");
    },
    reflections: (reply, count) => {
      const matches = [...reply.matchAll(/\[reflection \d+\]:\n(.*?)(?=\[reflection \d+\]:|$)/gsu)];
      return matches.length === count
        ? matches.map(([, text = ""]) => text.trim())
        : Array.from({ length: count }, () => verbatim("no reflection"));
    },
    failures: "outputs",
  };
}

/** Role key in the released tables: `ComputerScientist` for `computer scientist`. */
function keyOf(role: Role | undefined): string {
  return (role?.title ?? "").replaceAll(/(?:^| )(.)/gu, (_, letter: string) => letter.toUpperCase());
}

/** The last Python block, else the text after `[... impl]`, else the reply. A body is appended to the question. */
function programIn(question: string, reply: string): string {
  const block = [...reply.matchAll(/```[pP]ython(.*?)```/gsu)].at(-1)?.[1]?.trim();
  const below = /^.*impl\].*\n?/mu.exec(reply);
  const code = block ?? (below ? reply.slice(below.index + below[0].length) : reply);
  return code.includes("def") ? code : `${question}${code}`;
}

/** Removes the error type, like the released code. */
function messageOf(error: string): string {
  return error.replace(/^[\w.]*(?:Error|Exception|Exit|Interrupt|Iteration)(?:: ?|$)/u, "");
}
