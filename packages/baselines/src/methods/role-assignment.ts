import { type Program, programTopology } from "@laconic/topologies";
import { askOn } from "../playing/ask.ts";
import { methodOf } from "../playing/method-of.ts";
import { textOfTurn } from "../playing/vote.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import type { Baseline, BaselineOptions } from "../protocols/baseline.ts";
import { protocolFor, protocolsOf } from "../protocols/protocol-for.ts";
import { adasFields, adasPrompt, type AdasAgent } from "./adas-prompts.ts";

const protocols = protocolsOf<"route" | "answer">("role-assignment");

const routing: AdasAgent = { name: "router", fields: ["choice"] };
const expert: AdasAgent = { name: "expert", fields: ["thinking", "answer"] };

/** A router picks an expert by name, which answers in one call; the default is the last expert. */
export const roleAssignment: Baseline = methodOf({
  name: "role-assignment",
  title: "Role Assignment",
  protocols,
  create: (_, options) => programTopology(roleAssignmentProgram(options)),
  maxCopies: () => ({ questions: 2, examples: 0, replies: 0 }),
});

/** Program for teams that add calls before it. */
export function roleAssignmentProgram(options: BaselineOptions): Program {
  const protocol = protocolFor(protocols, options);
  const { answerForm, script } = options;
  const titles = protocol.roles.flatMap(({ slot, title }) => (slot === "expert" && title !== undefined ? title : []));
  // The helpful assistant is only the fallback.
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

function namedTitle(reply: string, titles: readonly string[]): string | null {
  const text = reply.toLowerCase();
  const words = titles.flatMap((title) => title.toLowerCase().split(" "));
  const isNamed = (title: string): boolean =>
    text.includes(title) ||
    title.split(" ").some((word) => text.includes(word) && words.filter((other) => other === word).length === 1);
  return titles.find((title) => isNamed(title.toLowerCase())) ?? null;
}
