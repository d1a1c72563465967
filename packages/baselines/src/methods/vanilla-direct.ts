import { programTopology, quote } from "@laconic/topologies";
import { onExamples } from "../agent-prune/on-examples.ts";
import { printingAnswer, pruneDecision, prunePrompt, withReturned } from "../agent-prune/script-prompts.ts";
import { programIn, toolBytes } from "../code/run-tests.ts";
import { methodOf } from "../playing/method-of.ts";
import { printedBy, runnerOf } from "../playing/run-program.ts";
import { chat } from "../prompts/chat.ts";
import type { Baseline, RunProgram } from "../protocols/baseline.ts";
import { phaseSettings, protocolsOf } from "../protocols/protocol-for.ts";
import type { Role } from "../protocols/protocol.ts";

/** AgentPrune's DirectAnswer: one agent, whose program is run where it writes one, and a decision that reads its reply. */
export const vanillaDirect: Baseline = methodOf({
  name: "vanilla:agentprune-direct",
  title: "Vanilla, AgentPrune's harness",
  protocols: protocolsOf<"answer" | "decide">("vanilla:agentprune-direct"),
  create: (protocol, options) => {
    const { answerForm, script } = options;
    const run = runnerOf(protocol, options);
    const [role] = protocol.roles as readonly [Role];
    const { title } = role;
    const writesCode = protocol.families.includes("code");
    return programTopology({
      name: "vanilla-direct",
      agents: ["agent", "decision"],
      play: async (stage) => {
        const { question } = stage.problem;
        const task =
          run && !writesCode
            ? "Write a Python program that prints the answer, in one code block, with a line of analysis before it."
            : `Answer, and analyse your choice in a few words. ${answerForm}`;
        const [reply] = await stage.say({
          agent: "agent",
          prompt: script
            ? prunePrompt(script, title ?? "alone", question, { now: [], before: [] }, null)
            : chat(`${title === undefined ? "" : `You are a ${title}. `}${task}`, question),
          ...phaseSettings(protocol.phases.answer, options),
        });
        const text = reply?.utterance.text ?? "";
        const tried = run && writesCode ? await onExamples(question, text, run, script) : null;
        const printed = run && !writesCode ? await printedIn(text, run, script !== undefined) : null;
        if (run && !writesCode && printed === null) stage.note("program without output");
        const scripted = script && run && !writesCode ? withReturned(script, text, printed ?? "None") : text;
        const shown = printed === null ? [text] : [text, `The program prints: ${printed}`];
        await stage.say({
          agent: "decision",
          prompt: script
            ? pruneDecision(script, question, [{ number: 0, role, text: scripted, tried }])
            : chat(
                `Give the answer from what the agent wrote. ${answerForm}`,
                `${question}\n\nThe agent wrote:\n${quote([...shown, ...(tried ? [tried.feedback] : [])].join("\n"))}`,
              ),
          reads: reply ? [reply.message] : [],
          ...phaseSettings(protocol.phases.decide, options),
        });
      },
      answer: (turns) => turns.findLast(({ call }) => call.agent === "decision")?.utterance ?? null,
    });
  },
  maxCopies: (protocol) => ({
    questions: 2,
    examples: 0,
    replies: 2,
    ...(protocol.families.includes("code") && { toolBytes: toolBytes * mostExamples }),
  }),
});

/** Examples of a docstring that a plan counts with. */
const mostExamples = 10;

/** What the program of a reply prints, or in released words its variable `answer`. */
async function printedIn(reply: string, run: RunProgram, released: boolean): Promise<string | null> {
  const program = programIn(reply, null);
  return program === null ? null : printedBy(await run(released ? printingAnswer(program) : program));
}
