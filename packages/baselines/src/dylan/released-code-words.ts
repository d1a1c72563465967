import { asked } from "../prompts/chat.ts";
import type { Role } from "../protocols/protocol.ts";
import { filled, type Script, textOf } from "../protocols/script.ts";
import type { CodeWords, Remarker } from "./code-words.ts";

const keys: Readonly<Record<Remarker, string>> = { passer: "Passer", tester: "Tester", reflector: "Reflector" };

/** The released words for HumanEval. In the first layer writers are told what later ones should be, as the released code does it. */
export function releasedCodeWords(script: Script): CodeWords {
  const of = (name: string, ...values: readonly string[]): string => filled(textOf(script, name), ...values);
  const verbatim = (name: string): string => textOf(script, name);
  const listed = (name: string, programs: readonly string[]): string =>
    programs.map((program, i) => of(name, String(i + 1), program)).join("");
  return {
    program: programIn,
    write: (role, question) => asked(of("write", of("fence", question)), verbatim(`first ${keyOf(role)}`)),
    rewrite: (role, question, programs) => {
      // Kept by their text, so that programs that are the same are one, with what was said of the last.
      const distinct = [...new Map(programs.map((each) => [each.text, each])).values()];
      const shown = distinct.map(({ text, remarks }, i) => {
        const said = [...remarks].map(
          ([judge, remark]) => `${of(`remark ${keys[judge]}`, String(i + 1))}${remark}\n\n`,
        );
        return `${of("previous", String(i + 1), text)}${said.join("")}`;
      });
      const judges = [...(programs[0]?.remarks.keys() ?? [])].map((judge) => verbatim(`named ${keys[judge]}`));
      const named = [judges.slice(0, -1).join(", "), ...judges.slice(-1)].filter((part) => part !== "").join(" and ");
      const task = of("rewrite", question, named, String(judges.length));
      return asked(`${shown.join("")}${task}`, verbatim(keyOf(role)));
    },
    test: (question) => asked(of("test", question), of("tester", verbatim("tester example"))),
    reflect: (_, programs) =>
      asked(
        `${verbatim("programs")}${listed("program", programs)}${of("reflect", String(programs.length))}`,
        of("reflector", verbatim("reflector example")),
      ),
    rank: (question, programs) =>
      asked(
        `${verbatim("ranked programs")}${listed("ranked", programs)}${of("rank", question)}`,
        verbatim("judge-ranker"),
      ),
    choose: (question, programs) =>
      asked(`${verbatim("chosen programs")}${listed("ranked", programs)}${of("choose", question)}`),
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
      const found = [...reply.matchAll(/\[reflection \d+\]:\n(.*?)(?=\[reflection \d+\]:|$)/gsu)];
      return found.length === count
        ? found.map(([, text = ""]) => text.trim())
        : Array.from({ length: count }, () => verbatim("no reflection"));
    },
    failures: "outputs",
  };
}

/** Its name in the released tables: `ComputerScientist` for `computer scientist`. */
function keyOf(role: Role | undefined): string {
  return (role?.title ?? "").replaceAll(/(?:^| )(.)/gu, (_, letter: string) => letter.toUpperCase());
}

/** The last Python block, else all that stands below a heading `[... impl]`, else the reply; a body goes on where the question ends. */
function programIn(question: string, reply: string): string {
  const block = [...reply.matchAll(/```[pP]ython(.*?)```/gsu)].at(-1)?.[1]?.trim();
  const below = /^.*impl\].*\n?/mu.exec(reply);
  const code = block ?? (below ? reply.slice(below.index + below[0].length) : reply);
  return code.includes("def") ? code : `${question}${code}`;
}

/** An error's message, without its type, which the released harness leaves out. */
function messageOf(error: string): string {
  return error.replace(/^[\w.]*(?:Error|Exception|Exit|Interrupt|Iteration)(?:: ?|$)/u, "");
}
