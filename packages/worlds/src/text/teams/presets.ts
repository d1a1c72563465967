import { chain } from "./chain.ts";
import { complete } from "./complete.ts";
import { critic } from "./critic.ts";
import { debate } from "./debate.ts";
import { hint } from "./hint.ts";
import { layered } from "./layered.ts";
import { plainDebate } from "./plain-debate.ts";
import { random } from "./random.ts";
import { roles } from "./roles.ts";
import { solo } from "./solo.ts";
import { star } from "./star.ts";
import type { TeamPreset } from "./text-team.ts";

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
