import { programTopology, quote } from "@laconic/topologies";
import type { Baseline } from "../protocols/baseline.ts";
import { methodOf } from "../playing/method-of.ts";
import { chat } from "../prompts/chat.ts";
import { phaseSettings } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { directProtocols } from "../protocols/vanilla.ts";
import { programIn, printedBy, runnerOf } from "../playing/run-program.ts";

/** AgentPrune's DirectAnswer: one agent, whose program is run where it writes one, and a decision that reads its reply. */
export const vanillaDirect: Baseline = methodOf({
  name: "vanilla:agentprune-direct",
  title: "Vanilla, AgentPrune's harness",
  protocols: directProtocols,
  create: (protocol, options) => {
    const { answerForm } = options;
    const run = runnerOf(protocol, options);
    const [{ title }] = protocol.roles as readonly [Protocol["roles"][number]];
    return programTopology({
      name: "vanilla-direct",
      agents: ["agent", "decision"],
      play: async (stage) => {
        const { question } = stage.problem;
        const role = title === undefined ? "" : `You are a ${title}. `;
        const task = run
          ? "Write a Python program that prints the answer, in one code block, with a line of analysis before it."
          : `Answer, and analyse your choice in a few words. ${answerForm}`;
        const [reply] = await stage.say({
          agent: "agent",
          prompt: chat(`${role}${task}`, question),
          ...phaseSettings(protocol.phases.answer, options),
        });
        const text = reply?.utterance.text ?? "";
        const program = run ? programIn(text) : null;
        const printed = run && program !== null ? printedBy(await run(program)) : null;
        if (run && printed === null) stage.note("program without output");
        await stage.say({
          agent: "decision",
          prompt: chat(
            `Give the answer from what the agent wrote. ${answerForm}`,
            `${question}\n\nThe agent wrote:\n${quote(printed === null ? text : `${text}\nThe program prints: ${printed}`)}`,
          ),
          reads: reply ? [reply.message] : [],
          ...phaseSettings(protocol.phases.decide, options),
        });
      },
      answer: (turns) => turns.findLast(({ call }) => call.agent === "decision")?.utterance ?? null,
    });
  },
  maxCopies: () => ({ questions: 2, examples: 0, replies: 2 }),
});
