import { nameHint, refuseSetting, type AgentId, type Topology } from "@laconic/core";
import { graphTopology, mixture, type Graph } from "@laconic/topologies";
import { teamNames, teamPresets, type TeamName } from "./presets.ts";
import type { TeamPreset, TextTeam, TextTeamMaker, TextTeamOptions } from "./text-team.ts";

/** Team by name, or a custom one. */
export type TeamChoice = TeamName | TeamPreset | TextTeamMaker | TextTeam | Topology | Graph;

/**
 * The team, or a mixture of several with the same learners.
 * @throws LaconicError `config_invalid`, or `topology_invalid` for an invalid graph
 */
export function teamOf(choice: TeamChoice | readonly TeamChoice[], options: TextTeamOptions): TextTeam {
  const teams = listed(choice).map((one) => oneTeam(one, options));
  const [first] = teams;
  if (!first) return refuse("expected a team's name");
  if (teams.length === 1) return first;
  const title = teamTitle(choice);
  const { trained, holders } = first;
  if (teams.some((team) => team.trained.join() !== trained.join() || team.holders.join() !== holders.join()))
    refuse(`${title.replaceAll("+", ", ")} cannot be mixed: the same agents have to learn in all of them`);
  const topologies = teams.map(({ topology }) => topology);
  const temperatures = Object.assign({}, ...teams.map((team) => team.temperatures ?? {})) as Record<AgentId, number>;
  return { trained, holders, temperatures, topology: mixture(topologies, title) };
}

/** Several are joined by `+`. */
export function teamTitle(choice: TeamChoice | readonly TeamChoice[]): string {
  return listed(choice).map(titleOf).join("+");
}

export function presetsAmong(choice: TeamChoice | readonly TeamChoice[]): TeamPreset[] {
  return listed(choice).flatMap((one) => presetOf(one) ?? []);
}

export function listed(choice: TeamChoice | readonly TeamChoice[]): readonly TeamChoice[] {
  return Array.isArray(choice) ? (choice as readonly TeamChoice[]) : [choice as TeamChoice];
}

function presetOf(choice: TeamChoice): TeamPreset | undefined {
  if (typeof choice === "string") return Object.hasOwn(teamPresets, choice) ? teamPresets[choice] : undefined;
  return isObject(choice) && "make" in choice ? choice : undefined;
}

function titleOf(choice: TeamChoice): string {
  if (typeof choice === "string") return choice;
  if (typeof choice === "function") return choice.name === "" ? "own-team" : choice.name;
  return "topology" in choice ? choice.topology.name : choice.name;
}

function oneTeam(choice: TeamChoice, options: TextTeamOptions): TextTeam {
  const preset = presetOf(choice);
  if (typeof choice === "string") {
    if (preset) return preset.make(options);
    return refuse(`unknown team ${choice}; ${nameHint(choice, teamNames)}`);
  }
  const team = asTeam(typeof choice === "function" ? choice(options) : (preset?.make(options) ?? choice));
  const { topology, trained, holders } = team;
  if (trained.length === 0) refuse(`no trained agent in ${topology.name}`);
  const stray = [...trained, ...holders].find((agent) => !topology.agents.includes(agent));
  if (stray !== undefined) refuse(`${topology.name} has no agent ${stray}; it has ${topology.agents.join(", ")}`);
  return team;
}

function asTeam(made: TeamPreset | TextTeam | Topology | Graph): TextTeam {
  if (isObject(made)) {
    if ("topology" in made) return made;
    if ("run" in made) return { topology: made, trained: made.agents, holders: [] };
    if ("answer" in made) {
      const topology = graphTopology<AgentId>(made);
      return { topology, trained: topology.agents, holders: [], graph: made };
    }
  }
  return refuse("not a team: give a name, a team, a topology, a graph, or a function that returns one of them");
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function refuse(reason: string): never {
  refuseSetting("task.team", reason);
}
