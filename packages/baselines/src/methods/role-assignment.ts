import { type Program, programTopology } from "@laconic/topologies";
import { methodOf } from "../playing/method-of.ts";
import { chat, stepByStep } from "../prompts/chat.ts";
import type { Baseline, BaselineOptions } from "../protocols/baseline.ts";
import { phaseSettings, protocolFor } from "../protocols/protocol-for.ts";
import { benchmarkLine, noShots, onMmlu, onWords, type Protocol, type Role } from "../protocols/protocol.ts";
import { adasFields, adasPrompt, inJson, type AdasAgent } from "./adas-prompts.ts";

type Phase = "route" | "answer";

const router: Role = { slot: "router", duty: "names who should answer" };
const experts = (titles: readonly string[], others: string): readonly Role[] => [
  router,
  ...[...titles, others].map((title): Role => ({ slot: "expert", title })),
];

const assignment = {
  version: 2,
  source: "ADAS@2702bee8, Dynamic Assignment of Roles",
  published: "role-assignment",
  temperature: 0.5,
  phases: { route: { maxTokens: 4096 }, answer: { maxTokens: 4096 } },
  shots: noShots,
  prompts: [
    "The router is offered all experts but the last; any other reply makes it the last.",
    "The expert is asked the question in its role, step by step.",
  ],
  answerLine: benchmarkLine,
  hears: "The expert reads the question alone.",
  partition: { kind: "whole", reason: "The router says a role alone: nobody would hear what it knows." },
  stops: { kind: "fixed" },
  votes: { kind: "last" },
  calls: { least: 2, most: 2 },
  labels: { roles: "C", temperature: "C", maxTokens: "C", prompts: "C", hears: "C", calls: "C" },
} as const satisfies Partial<Protocol>;

const ownRoles: Protocol["labels"] = { temperature: "C", maxTokens: "C", prompts: "C", hears: "C", calls: "C" };
const maths = experts(["Math Professor", "Grade School Teacher", "Math Enthusiast"], "Helpful Assistant");

/** A router names one of the experts of a field, who answers. */
const roleAssignmentProtocols: readonly Protocol<Phase>[] = [
  {
    ...assignment,
    id: "role-assignment/maths",
    families: ["maths"],
    roles: maths,
    scripts: onWords("adas-word"),
    differs: [inJson],
  },
  {
    ...assignment,
    id: "role-assignment/aqua",
    families: ["choice"],
    benchmarks: ["aqua"],
    roles: maths,
    differs: [inJson, "ADAS plays no AQuA: the experts are those of its word problems."],
  },
  {
    ...assignment,
    id: "role-assignment/choice",
    families: ["choice"],
    roles: experts(["Physics Expert", "Chemistry Expert", "Biology Expert"], "Science Generalist"),
    prompts: ["The router is offered all experts; any other reply makes it the last.", assignment.prompts[1]],
    scripts: onMmlu("adas-choice"),
    differs: [inJson],
  },
  {
    ...assignment,
    id: "role-assignment/code",
    families: ["code"],
    roles: experts(["Algorithm Designer", "Software Engineer", "Test Engineer"], "Helpful Assistant"),
    labels: ownRoles,
    differs: [inJson, "ADAS plays no functions to complete: the experts are ours."],
  },
  {
    ...assignment,
    id: "role-assignment/text",
    families: ["text"],
    roles: experts(["Researcher", "Grade School Teacher", "Reference Librarian"], "Helpful Assistant"),
    labels: ownRoles,
    differs: [inJson, "ADAS plays no free answers: the experts are ours."],
  },
];

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
  const { answerForm, script } = options;
  const titles = expertsOf(protocol);
  const offered = offeredTitles(titles);
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
