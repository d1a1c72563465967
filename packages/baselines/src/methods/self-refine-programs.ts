import type { Topology } from "@laconic/core";
import { programTopology, quote } from "@laconic/topologies";
import type { BaselineOptions } from "../protocols/baseline.ts";
import { chat } from "../prompts/chat.ts";
import { phaseSettings, roundsOf } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { printedBy, programIn, runnerOf } from "../playing/run-program.ts";

/**
 * Self-Refine by programs: a draft, then calls that each find the error and write the program anew. The answer is what the last program
 * prints, that of the call which finds it correct too.
 */
export function refinedPrograms(
  protocol: Protocol<"draft" | "feedback" | "revise">,
  options: BaselineOptions,
): Topology {
  const run = runnerOf(protocol, options);
  const { draft, feedback } = protocol.phases;
  const stop = protocol.stops.kind === "verdict" ? protocol.stops.says : "";
  return programTopology({
    name: "self-refine",
    agents: ["solver", "critic"],
    play: async (stage) => {
      const { question } = stage.problem;
      const [drafted] = await stage.say({
        agent: "solver",
        prompt: chat(
          "Write a Python function solution(), with the question as its docstring, that computes and returns the answer. Reply with one code block.",
          question,
        ),
        ...phaseSettings(draft, options),
      });
      let latest = drafted;
      let program = programIn(drafted?.utterance.text ?? "") ?? drafted?.utterance.text ?? "";
      const exchanges: string[] = [];
      let stopped = false;
      for (let round = 0; round < roundsOf(protocol, options) && !stopped; round++) {
        const received = stage.turns.map(({ message }) => message);
        const shown = `Question:\n${question}\n\nProgram:\n${quote(program)}`;
        const [comment] = await stage.say({
          agent: "critic",
          prompt: chat(
            `Find the error in the program: go through it block by block and check each against the question. Say "${stop}" if there is none. Then write the whole function solution() anew, in one code block.`,
            [...exchanges, shown].join("\n\n"),
          ),
          reads: received,
          ...phaseSettings(feedback, options),
        });
        const text = comment?.utterance.text ?? "";
        const rewritten = programIn(text);
        if (rewritten === null) stage.note("feedback without a program");
        exchanges.push(`${shown}\n\nFeedback and new program:\n${quote(text)}`);
        if (rewritten !== null) [program, latest] = [rewritten, comment];
        stopped = text
          .replace(rewritten ?? "", "")
          .toLowerCase()
          .includes(stop);
      }
      if (!stopped) stage.note("capped");
      const printed = printedBy((await run?.(`${program}\n\nprint(solution())\n`)) ?? { output: "", error: "" });
      if (printed === null) stage.note("program without output");
      stage.conclude(printed === null || !latest ? null : { ...latest.utterance, text: printed });
    },
    answer: () => null,
  });
}
