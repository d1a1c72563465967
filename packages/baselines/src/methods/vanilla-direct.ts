import { programTopology, quote } from "@laconic/topologies";
import { onExamples, printingAnswer, pruneDecision, prunePrompt, withReturned } from "../agent-prune/script-prompts.ts";
import { programIn, toolBytes } from "../code/run-tests.ts";
import { askOn } from "../playing/ask.ts";
import { methodOf } from "../playing/method-of.ts";
import { printedBy, runnerOf } from "../playing/run-program.ts";
import { textOfTurn } from "../playing/vote.ts";
import { chat } from "../prompts/chat.ts";
import type { Baseline } from "../protocols/baseline.ts";
import { protocolsOf } from "../protocols/protocol-for.ts";
import type { Role } from "../protocols/protocol.ts";

/** Docstring examples that a plan assumes. */
const mostExamples = 10;

/** AgentPrune's DirectAnswer: one agent, whose program is run, and a decision. */
export const vanillaDirect: Baseline = methodOf({
  name: "vanilla:agentprune-direct",
  title: "Vanilla, AgentPrune's harness",
  protocols: protocolsOf<"answer" | "decide">("vanilla:agentprune-direct"),
  create: (protocol, options) => {
    const { answerForm, script } = options;
    const run = runnerOf(protocol, options);
    const [role] = protocol.roles as readonly [Role];
    const { title } = role;
    const isCode = protocol.families.includes("code");
    // Programs that are the answer run on its examples.
    const compute = isCode ? null : run;
    return programTopology({
      name: "vanilla-direct",
      agents: ["agent", "decision"],
      play: async (stage) => {
        const { question } = stage.problem;
        const ask = askOn(stage, protocol, options);
        const task = compute
          ? "Write a Python program that prints the answer, in one code block, with a line of analysis before it."
          : `Answer, and analyse your choice in a few words. ${answerForm}`;
        const asking = script
          ? prunePrompt(script, title ?? "alone", question, { now: [], before: [] })
          : chat(`${title === undefined ? "" : `You are a ${title}. `}${task}`, question);
        const reply = await ask("agent", "answer", asking);
        const text = textOfTurn(reply);
        const tried = run && isCode ? await onExamples(question, text, run, script) : null;
        const program = compute && programIn(text, null);
        const printed =
          compute && program !== null ? printedBy(await compute(script ? printingAnswer(program) : program)) : null;
        if (compute && printed === null) stage.note("program without output");
        const whole = script && compute ? withReturned(script, text, printed ?? "None") : text;
        const shown = printed === null ? [text] : [text, `The program prints: ${printed}`];
        const reading = `The agent wrote:\n${quote([...shown, ...(tried ? [tried.feedback] : [])].join("\n"))}`;
        const deciding = script
          ? pruneDecision(script, question, [{ number: 0, role, text: whole, tried }])
          : chat(`Give the answer from what the agent wrote. ${answerForm}`, `${question}\n\n${reading}`);
        await ask("decision", "decide", deciding, [reply]);
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
