import { LaconicError, nearestName, type AgentId, type Topology } from "@laconic/core";
import { graphTopology, mixture, type Graph } from "@laconic/topologies";
import { teamNames, teamPresets, type TeamName } from "./presets.ts";
import type { TeamPreset, TextTeam, TextTeamMaker, TextTeamOptions } from "./text-team.ts";

/** A team by name, or anybody's own: a changed preset, a function of the options, a team, a topology or a graph. */
export type TeamChoice = TeamName | TeamPreset | TextTeamMaker | TextTeam | Topology | Graph;

/**
 * The team that is meant: one, or several with the same learners, each for its share of the problems.
 *
 * A topology or graph of one's own learns as a whole, and everybody sees all of a problem; a {@link TextTeam} says otherwise.
 *
 * @throws LaconicError `config_invalid` for a name that does not exist, for a value that is no team, for one in which nobody
 * learns or whose learners or holders are not its agents, for teams of which not the same agents learn or that know different
 * parts; `topology_invalid` for a graph that cannot run
 */
export function teamOf(given: TeamChoice | readonly TeamChoice[], options: TextTeamOptions): TextTeam {
  const choices = listed(given);
  const teams = choices.map((choice) => oneTeam(choice, options));
  const [first] = teams;
  if (!first) return refuse("names no team");
  if (teams.length === 1) return first;
  const title = teamTitle(given);
  const differs = teams.some(
    ({ trained, holders }) => trained.join() !== first.trained.join() || holders.join() !== first.holders.join(),
  );
  if (differs) refuse(`${title.replaceAll("+", ", ")} cannot be mixed: the same agents have to learn in all of them`);
  const { trained, holders } = first;
  const temperatures = Object.assign({}, ...teams.map((team) => team.temperatures ?? {})) as Record<AgentId, number>;
  return {
    trained,
    holders,
    temperatures,
    topology: mixture(
      teams.map(({ topology }) => topology),
      title,
    ),
  };
}

/** What a team is called in results: the names of several, with a plus between them. */
export function teamTitle(given: TeamChoice | readonly TeamChoice[]): string {
  return listed(given).map(titleOf).join("+");
}

/** Those of the choices that have a name in the registry, or are such values changed. */
export function presetsAmong(given: TeamChoice | readonly TeamChoice[]): TeamPreset[] {
  return listed(given).flatMap((choice) => {
    if (typeof choice === "string") return Object.hasOwn(teamPresets, choice) ? [teamPresets[choice]] : [];
    return isGroup(choice) && "make" in choice ? [choice] : [];
  });
}

export function listed(given: TeamChoice | readonly TeamChoice[]): readonly TeamChoice[] {
  return Array.isArray(given) ? (given as readonly TeamChoice[]) : [given as TeamChoice];
}

function titleOf(choice: TeamChoice): string {
  if (typeof choice === "string") return choice;
  if (typeof choice === "function") return choice.name === "" ? "own-team" : choice.name;
  return "topology" in choice ? choice.topology.name : choice.name;
}

function oneTeam(choice: TeamChoice, options: TextTeamOptions): TextTeam {
  if (typeof choice === "string") {
    if (Object.hasOwn(teamPresets, choice)) return teamPresets[choice].make(options);
    const near = nearestName(choice, teamNames);
    return refuse(
      `there is no team ${choice}; ${near === undefined ? `known: ${teamNames.join(", ")}` : `did you mean ${near}?`}`,
    );
  }
  const made =
    typeof choice === "function"
      ? choice(options)
      : isGroup(choice) && "make" in choice
        ? choice.make(options)
        : choice;
  return checked(asTeam(made));
}

function asTeam(made: TextTeam | Topology | Graph): TextTeam {
  if (isGroup(made)) {
    if ("topology" in made) return made;
    if ("run" in made) return { topology: made, trained: made.agents, holders: [] };
    if ("answer" in made) {
      const topology = graphTopology<AgentId>(made);
      return { topology, trained: topology.agents, holders: [], graph: made };
    }
  }
  return refuse("this is no team: give a name, a team, a topology, a graph, or a function that returns one of them");
}

function checked(team: TextTeam): TextTeam {
  const { topology, trained, holders } = team;
  if (trained.length === 0) refuse(`nobody learns in ${topology.name}`);
  const stray = [...trained, ...holders].find((agent) => !topology.agents.includes(agent));
  if (stray !== undefined) refuse(`${topology.name} has no agent ${stray}; it has ${topology.agents.join(", ")}`);
  return team;
}

function isGroup(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function refuse(reason: string): never {
  throw new LaconicError("config_invalid", `task.team: ${reason}`, { key: "task.team" });
}
