import { type Program, programTopology } from "@laconic/topologies";
import { askOn } from "../playing/ask.ts";
import { methodOf } from "../playing/method-of.ts";
import { textOfTurn } from "../playing/vote.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import type { Baseline, BaselineOptions } from "../protocols/baseline.ts";
import { protocolFor, protocolsOf } from "../protocols/protocol-for.ts";
import { adasFields, adasPrompt, type AdasAgent } from "./adas-prompts.ts";

const protocols = protocolsOf<"route" | "answer">("role-assignment");

/** The router and the experts of the released code. */
const routing: AdasAgent = { name: "router", fields: ["choice"] };
const expert: AdasAgent = { name: "expert", fields: ["thinking", "answer"] };

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
      const ask = askOn(stage, protocol, options);
      const choosing = script
        ? adasPrompt(script, routing, question, [], "route")
        : chat(`Choose who should answer: ${offered.join(", ")}. Reply with the name alone.`, question);
      const routed = await ask("router", "route", choosing);
      const named = namedTitle(textOfTurn(routed), titles);
      if (named === null) stage.note("no expert named");
      const role = named ?? titles.at(-1) ?? "";
      const solving = script
        ? adasPrompt(script, { ...expert, role }, question, [], "solve")
        : chat(`You are a ${role}. ${stepByStep} ${answerForm}`, question);
      const reply = await ask("expert", "answer", solving, [routed]);
      const answer = script && reply ? adasFields(reply.utterance.text, expert.fields)["answer"] : "";
      if (reply && answer) stage.conclude({ ...reply.utterance, text: answer });
    },
    answer: (turns) => turns.findLast(({ call }) => call.agent === "expert")?.utterance ?? null,
  };
}

/** The first expert that a reply names: by title, or by a word that no other title has. */
function namedTitle(reply: string, titles: readonly string[]): string | null {
  const text = reply.toLowerCase();
  const words = titles.flatMap((title) => title.toLowerCase().split(" "));
  const isNamed = (title: string): boolean =>
    text.includes(title) ||
    title.split(" ").some((word) => text.includes(word) && words.filter((other) => other === word).length === 1);
  return titles.find((title) => isNamed(title.toLowerCase())) ?? null;
}
