import { presetNames } from "@laconic/runtime/resolver";
import { flagGroups, type Argument, type FlagGroup } from "../src/cli/arguments.ts";
import type { Command } from "../src/cli/command.ts";
import { commandGroups, commandTable } from "../src/commands/table.ts";
import type { CommandList, ListedFlag, ListedWords } from "../src/completion/command-list.ts";
import { helpCommand } from "../src/dispatch/find-command.ts";

/** One line per preset. */
const presetLines: Readonly<Record<string, string>> = {
  "agent-gspo": "Agent-GSPO: three holders and a solver, GSM8K, Qwen2.5-0.5B",
  "agentpo-hint": "AgentPO: hints for a frozen actor, GSM8K, Qwen2.5",
  "agentpo-hint-printed": "agentpo-hint with the objective as printed in the paper",
  "agentpo-critic": "AgentPO: a critic for a frozen actor, GSM8K, Qwen2.5",
  "agentpo-debate": "AgentPO: a debater for a frozen actor, GSM8K, Qwen2.5",
  "agentpo-roles": "AgentPO: a router that assigns roles, GSM8K, Qwen2.5",
  "actor-finetune": "AgentPO's comparison: trains the actor itself, GSM8K, Qwen2.5-7B",
  magrpo: "MAGRPO: two writers with separate policies, TLDR, Qwen3-1.7B",
  "magrpo-code": "MAGRPO: a helper and a main function in one turn, HumanEval",
  "magrpo-multiturn": "MAGRPO: a helper and a main function in two turns, CoopHumanEval",
  "relay-quickstart": "Agent-GSPO in small: four agents",
  "relay-hint": "AgentPO in small: a hint",
  "relay-critic": "AgentPO in small: a critic",
  "relay-actor": "AgentPO's comparison in small: the actor",
  "relay-writers": "MAGRPO in small: two writers",
  "relay-feedback": "MAGRPO in small with a second turn",
  "steps-star": "Agent-GSPO on word problems: three holders and a solver, the shipped base",
  "steps-hint": "AgentPO on word problems: a hint for the frozen base",
  "steps-actor": "AgentPO's comparison on word problems: the solver",
  "steps-split": "MAGRPO on word problems: two holders and a solver with separate policies",
  "story-tellers": "Agent-GSPO in English: three tellers and a solver",
};

const runArguments = new Set(["directory", "run", "first", "second", "source"]);

/** Reads every command, as in `assets/commands.json`. */
export async function listCommands(): Promise<CommandList> {
  const commands: ListedWords[] = [];
  for (const [name, load] of Object.entries(commandTable)) {
    const [group = ""] = name.split(" ");
    const description = commandGroups[group];
    if (description !== undefined && !commands.some((listed) => listed.name === group))
      commands.push(listedWords(group, { description, args: {}, examples: [] }));
    commands.push(listedWords(name, await load()));
  }
  commands.push(listedWords(helpCommand.name, { ...helpCommand, args: {}, examples: ["laconic help train"] }));
  const presets = presetNames.map((name) => ({ name, description: presetLines[name] ?? "" }));
  return { commands, presets };
}

function listedWords(
  name: string,
  { description, args, examples }: Pick<Command, "description" | "args" | "examples">,
): ListedWords {
  const words = Object.entries(args).filter(([, { kind }]) => kind === "positional");
  const [first = ""] = words[0] ?? [];
  return {
    name,
    description,
    arguments: words.map(([word, argument]) => ({
      name: argument.hint ?? word.toUpperCase(),
      description: argument.description,
      required: argument.required === true,
    })),
    flags: flagGroups.flatMap((group) =>
      Object.entries(args).flatMap(([flag, argument]) =>
        argument.group === group ? [listedFlag(flag, group, argument)] : [],
      ),
    ),
    examples,
    takes: first === "config" ? "configuration" : runArguments.has(first) ? "run" : "other",
  };
}

function listedFlag(
  name: string,
  group: FlagGroup,
  { kind, description, options = [], hint, default: usual, required, alias }: Argument,
): ListedFlag {
  return {
    name,
    group,
    description,
    valued: kind === "value",
    values: options,
    ...(hint !== undefined && { hint }),
    ...(usual !== undefined && { default: usual }),
    ...(required && { required }),
    ...(alias !== undefined && { alias: [alias] }),
  };
}
