import { answerOf, chatTemplate, problemText, solving } from "@laconic/topologies";
import { slot } from "./slots.ts";
import { teamOn, type TeamPreset } from "./text-team.ts";

/** The baseline every team has to beat. */
export const solo: TeamPreset = {
  name: "solo",
  summary: "one solver, which learns",
  heeds: [],
  make: (options) => {
    const template = chatTemplate("solve@2", solving(options.answerForm), problemText);
    const agents = [slot(options, "solver", template, options.replyTokens)];
    return teamOn({ name: "solo", agents, rounds: 1, answer: answerOf<string>("solver") }, ["solver"]);
  },
};
