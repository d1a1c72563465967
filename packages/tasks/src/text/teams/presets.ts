import { answerOf, chatTemplate, problemText, solving } from "@laconic/topologies";
import { debate, roles } from "./behind-hint.ts";
import { critic, hint } from "./collaborator.ts";
import { chain, star } from "./holders.ts";
import { slot, teamOn, type TeamPreset } from "./text-team.ts";
import { complete, layered, plainDebate, random } from "./voters.ts";

/** The baseline every team has to beat. */
const solo: TeamPreset = {
  name: "solo",
  summary: "one solver, which learns",
  heeds: [],
  make: (options) => {
    const template = chatTemplate("solve@2", solving(options.answerForm), problemText);
    const agents = [slot(options, "solver", template, options.replyTokens)];
    return teamOn({ name: "solo", agents, rounds: 1, answer: answerOf<string>("solver") }, ["solver"]);
  },
};

/** The name of a team over text. */
export type TeamName =
  | "solo"
  | "hint"
  | "critic"
  | "debate"
  | "roles"
  | "star"
  | "chain"
  | "plain-debate"
  | "layered"
  | "complete"
  | "random";

/** All teams that have a name, as values: take one, change it, and put it where a name goes. */
export const teamPresets: Readonly<Record<TeamName, TeamPreset>> = {
  solo,
  hint,
  critic,
  debate,
  roles,
  star,
  chain,
  "plain-debate": plainDebate,
  layered,
  complete,
  random,
};

/** Every name of a team over text. */
export const teamNames: readonly TeamName[] = Object.keys(teamPresets) as TeamName[];
