import { isRecord, type UnknownRecord } from "@laconic/core";
import { isReference, type Reference } from "../resolver/reference.ts";
import type { ActorSettings, AppConfig, TaskSettings } from "./run-settings.ts";

/** References of a configuration outside of `train`, where names would stand. */
interface OwnParts {
  readonly task?: Reference;
  readonly actor?: Reference;
  /** Of the task, by position; alone where one team is named and not a list. */
  readonly team?: Reference | readonly (Reference | null)[];
}

/** Placeholder of a reference while the settings beside it are checked. */
const stand = { task: { name: "relay", level: "one-fact" }, team: "solo" } as const;

/** A configuration with placeholders, and the references that they replace. */
export function namedPart(written: UnknownRecord): { readonly named: UnknownRecord; readonly own: OwnParts } {
  const { task, actor } = written;
  const ownTask = isReference(task) ? task : undefined;
  const team = isRecord(task) && !ownTask ? task["team"] : undefined;
  const ownTeam = isReference(team)
    ? team
    : Array.isArray(team)
      ? team.map((each) => (isReference(each) ? each : null))
      : null;
  const mixed = Array.isArray(ownTeam) && ownTeam.some((each) => each !== null);
  const namedTeam = isReference(team)
    ? stand.team
    : (team as unknown[] | undefined)?.map?.((each) => (isReference(each) ? stand.team : each));
  return {
    named: {
      ...written,
      ...(ownTask && { task: stand.task }),
      ...((isReference(team) || mixed) && { task: { ...(task as UnknownRecord), team: namedTeam } }),
      ...(isReference(actor) && { actor: null }),
    },
    own: {
      ...(ownTask && { task: ownTask }),
      ...((isReference(team) || mixed) && { team: ownTeam as NonNullable<OwnParts["team"]> }),
      ...(isReference(actor) && { actor }),
    },
  };
}

/** The values at their keys again: what {@link namedPart} took. */
export function withOwn(
  { task, actor }: { readonly task: TaskSettings; readonly actor: ActorSettings | null },
  own: OwnParts,
): Pick<AppConfig, "task" | "actor"> {
  return { task: own.task ?? withTeam(task, own.team), actor: own.actor ?? actor };
}

function withTeam(task: TaskSettings, team: OwnParts["team"]): AppConfig["task"] {
  if (team === undefined || !("team" in task)) return task as AppConfig["task"];
  const named = [task.team].flat();
  const all = isReference(team) ? team : team.map((each, i) => each ?? named[i]);
  return { ...task, team: all } as AppConfig["task"];
}
