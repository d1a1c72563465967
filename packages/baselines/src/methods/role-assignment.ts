import { type Program, programTopology } from "@laconic/topologies";
import { methodOf } from "../playing/method-of.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import type { Baseline, BaselineOptions } from "../protocols/baseline.ts";
import { phaseSettings, protocolFor, protocolsOf } from "../protocols/protocol-for.ts";
import { adasFields, adasPrompt, type AdasAgent } from "./adas-prompts.ts";

const protocols = protocolsOf<"route" | "answer">("role-assignment");

/** A routing call names one of the field's experts, one call answers as it; any other reply makes it the last of the list. */
export const roleAssignment: Baseline = methodOf({
  name: "role-assignment",
  title: "Role Assignment",
  protocols,
  create: (_, options) => programTopology(roleAssignmentProgram(options)),
  maxCopies: () => ({ questions: 2, examples: 0, replies: 0 }),
});

/** The assignment as a program, for teams that put something before it. */
export function roleAssignmentProgram(options: BaselineOptions): Program {
  const protocol = protocolFor(protocols, options);
  const { answerForm, script } = options;
  const titles = protocol.roles.flatMap(({ slot, title }) => (slot === "expert" && title !== undefined ? title : []));
  // A helpful assistant is for replies that name no expert.
  const offered = titles.filter((title) => title !== "Helpful Assistant");
  return {
    name: "role-assignment",
    agents: ["router", "expert"],
    play: async (stage) => {
      const { question } = stage.problem;
      const [routed] = await stage.say({
        agent: "router",
        prompt: script
          ? adasPrompt(script, routing, question, [], "route")
          : chat(`Choose who should answer: ${offered.join(", ")}. Reply with the name alone.`, question),
        ...phaseSettings(protocol.phases.route, options),
      });
      const named = namedTitle(routed?.utterance.text ?? "", titles);
      if (named === null) stage.note("no expert named");
      const role = named ?? titles.at(-1) ?? "";
      const [reply] = await stage.say({
        agent: "expert",
        prompt: script
          ? adasPrompt(script, { ...expert, role }, question, [], "solve")
          : chat(`You are a ${role}. ${stepByStep} ${answerForm}`, question),
        reads: routed ? [routed.message] : [],
        ...phaseSettings(protocol.phases.answer, options),
      });
      const answer = script && reply ? adasFields(reply.utterance.text, expert.fields)["answer"] : "";
      if (reply && answer) stage.conclude({ ...reply.utterance, text: answer });
    },
    answer: (turns) => turns.findLast(({ call }) => call.agent === "expert")?.utterance ?? null,
  };
}

/** The router and the experts of the released code: what they reply with. */
const routing: AdasAgent = { name: "router", fields: ["choice"] };
const expert: AdasAgent = { name: "expert", fields: ["thinking", "answer"] };

/** The first expert that a reply names: by title, or by the word that no other title has. */
function namedTitle(reply: string, titles: readonly string[]): string | null {
  const said = reply.toLowerCase();
  const words = (title: string): string[] => title.toLowerCase().split(" ");
  const own = (title: string): string[] =>
    words(title).filter((word) => titles.filter((other) => words(other).includes(word)).length === 1);
  return (
    titles.find((title) => said.includes(title.toLowerCase()) || own(title).some((word) => said.includes(word))) ?? null
  );
}
