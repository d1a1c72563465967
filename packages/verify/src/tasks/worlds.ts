import { isObject, type Json } from "../rules/closed-set.ts";
import { relay, relayFeedback, relayHint, relayWriters } from "./relay.ts";
import type { World } from "./world.ts";

/** The name is the first run of letters in the solver's answer. */
const worlds: Readonly<Record<string, (settings: Json) => World | null>> = {
  relay,
  "relay-hint": relayHint,
  "relay-critic": relayHint,
  "relay-feedback": relayFeedback,
  "relay-writers": relayWriters,
  "story-tellers": () => ({
    answerer: "solver",
    grade: ({ answer }, { gold }) => ((answer ?? "").match(/[a-zA-Z]+/u)?.[0] === gold ? 1 : 0),
  }),
};

/** @param task - task of the configuration; unlisted tasks have no known rules */
export function worldOf(task: unknown): World {
  const name = isObject(task) ? String(task["name"]) : "";
  return (Object.hasOwn(worlds, name) && worlds[name]?.(task as Json)) || {};
}

export const taskName = (task: unknown): string =>
  isObject(task) && typeof task["name"] === "string" ? `the task ${task["name"]}` : "the task";
