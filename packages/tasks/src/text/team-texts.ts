import { baselineNamed, protocolFor, scriptNameOf, type Asked, type Script } from "@laconic/baselines";
import { exemplarsNamed, installedTexts } from "@laconic/benchmarks/exemplars";
import { refuseSetting } from "@laconic/core";
import type { TeamTexts } from "./benchmark-team.ts";
import { listed, presetsAmong, teamTitle, type TeamChoice } from "./teams/team-of.ts";

/**
 * Opens the published texts of a team, the same ones as a bench of its methods.
 * @param trainedOn - a benchmark of the same kind without published texts gets this one's
 * @throws LaconicError `config_invalid` for a team without published texts, `data_invalid` for texts that are not on disk
 */
export async function openTeamTexts(
  team: TeamChoice | readonly TeamChoice[],
  folder: string,
  trainedOn: Asked,
): Promise<(asked: Asked) => TeamTexts> {
  const methods = methodsOf(team);
  const nameFor = (method: string, asked: Asked): string | null =>
    scriptNameOf(protocolFor(baselineNamed(method).protocols ?? [], asked), asked.benchmark);
  const nameOf = (method: string, asked: Asked): string =>
    nameFor(method, asked) ??
    (asked.family === trainedOn.family ? nameFor(method, trainedOn) : null) ??
    refuse(`no prompts of ${method} are published for ${asked.benchmark ?? "these questions"}`);
  for (const method of methods) nameOf(method, trainedOn);
  const scripts = new Map<string, Script>();
  for (const { scripts: names = {} } of methods.flatMap((method) => baselineNamed(method).protocols ?? []))
    for (const name of Object.values(names).flatMap((test) => [test, trainingOf(test)]))
      if (!scripts.has(name)) scripts.set(name, await installedTexts(name, folder));
  return (asked) => {
    const textsBy = (change: (name: string) => string): TeamTexts["training"] =>
      Object.fromEntries(methods.map((method) => [method, scripts.get(change(nameOf(method, asked)))!]));
    return { training: textsBy(trainingOf), evaluation: textsBy((name) => name) };
  };
}

function trainingOf(name: string): string {
  return exemplarsNamed(name).training ?? name;
}

function methodsOf(team: TeamChoice | readonly TeamChoice[]): readonly string[] {
  const presets = presetsAmong(team);
  if (presets.length < listed(team).length) refuse(`${teamTitle(team)} has its own prompts`);
  return [
    ...new Set(
      presets.flatMap(({ name, methods }) => methods ?? refuse(`no prompts are published for the team ${name}`)),
    ),
  ];
}

function refuse(reason: string): never {
  refuseSetting("task.prompts", `${reason}; use task.prompts=ours`);
}
