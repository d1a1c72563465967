import { benchmarkLine, noShots, type Protocol, type Role } from "./protocol.ts";

type Phase = "route" | "answer";

const router: Role = { slot: "router", duty: "names who should answer" };
const experts = (titles: readonly string[], others: string): readonly Role[] => [
  router,
  ...[...titles, others].map((title): Role => ({ slot: "expert", title })),
];

const assignment = {
  version: 1,
  source: "ADAS@2702bee8, Dynamic Assignment of Roles",
  published: "role-assignment",
  temperature: 0.5,
  phases: { route: { maxTokens: 1024 }, answer: { maxTokens: 1024 } },
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
export const roleAssignmentProtocols: readonly Protocol<Phase>[] = [
  { ...assignment, id: "role-assignment/maths", families: ["maths"], roles: maths, differs: [] },
  {
    ...assignment,
    id: "role-assignment/aqua",
    families: ["choice"],
    benchmarks: ["aqua"],
    roles: maths,
    differs: ["ADAS plays no AQuA: the experts are those of its word problems."],
  },
  {
    ...assignment,
    id: "role-assignment/choice",
    families: ["choice"],
    roles: experts(["Physics Expert", "Chemistry Expert", "Biology Expert"], "Science Generalist"),
    prompts: ["The router is offered all experts; any other reply makes it the last.", assignment.prompts[1]],
    differs: [],
  },
  {
    ...assignment,
    id: "role-assignment/code",
    families: ["code"],
    roles: experts(["Algorithm Designer", "Software Engineer", "Test Engineer"], "Helpful Assistant"),
    labels: ownRoles,
    differs: ["ADAS plays no functions to complete: the experts are ours."],
  },
  {
    ...assignment,
    id: "role-assignment/text",
    families: ["text"],
    roles: experts(["Researcher", "Grade School Teacher", "Reference Librarian"], "Helpful Assistant"),
    labels: ownRoles,
    differs: ["ADAS plays no free answers: the experts are ours."],
  },
];
