import { programTopology, type Program } from "@laconic/topologies";
import type { Baseline, BaselineOptions } from "../protocols/baseline.ts";
import { methodOf } from "../playing/method-of.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import { phaseSettings, protocolFor } from "../protocols/protocol-for.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { roleAssignmentProtocols } from "../protocols/role-assignment.ts";

/** A routing call names one of the field's experts, one call answers as it; any other reply makes it the last of the list. */
export const roleAssignment: Baseline = methodOf({
  name: "role-assignment",
  title: "Role Assignment",
  protocols: roleAssignmentProtocols,
  create: (_, options) => programTopology(roleAssignmentProgram(options)),
  maxCopies: () => ({ questions: 2, examples: 0, replies: 0 }),
});

/** The assignment as a program, for teams that put something before it. */
export function roleAssignmentProgram(options: BaselineOptions): Program {
  const protocol = protocolFor(roleAssignmentProtocols, options);
  const { answerForm } = options;
  const titles = expertsOf(protocol);
  const offered = offeredTitles(titles);
  return {
    name: "role-assignment",
    agents: ["router", "expert"],
    play: async (stage) => {
      const { question } = stage.problem;
      const [routed] = await stage.say({
        agent: "router",
        prompt: chat(`Choose who should answer: ${offered.join(", ")}. Reply with the name alone.`, question),
        ...phaseSettings(protocol.phases.route, options),
      });
      const named = namedTitle(routed?.utterance.text ?? "", titles);
      if (named === null) stage.note("no expert named");
      await stage.say({
        agent: "expert",
        prompt: chat(`You are a ${named ?? titles.at(-1)}. ${stepByStep} ${answerForm}`, question),
        reads: routed ? [routed.message] : [],
        ...phaseSettings(protocol.phases.answer, options),
      });
    },
    answer: (turns) => turns.findLast(({ call }) => call.agent === "expert")?.utterance ?? null,
  };
}

const helper = "Helpful Assistant";

function expertsOf({ roles }: Protocol): string[] {
  return roles.flatMap(({ slot, title }) => (slot === "expert" && title !== undefined ? title : []));
}

/** A helpful assistant is for replies that name nobody. */
function offeredTitles(titles: readonly string[]): readonly string[] {
  return titles.filter((title) => title !== helper);
}

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
