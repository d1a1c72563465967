import { resolve } from "node:path";
import { LaconicError } from "@laconic/core";
import { budgetFormNames } from "@laconic/tasks/stories";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { wholeNumber } from "../cli/numbers.ts";
import { budgetDefaults, teachBudgets } from "../lessons/teach-budgets.ts";
import { copyingDefaults, teachCopying } from "../lessons/teach-copying.ts";
import { jsonFlag, type CommandContext } from "./common.ts";

const courses = ["copying", "budgets"] as const;

export function storyCommand(context: CommandContext, exit: ExitCode): CommandDef {
  return {
    subCommands: { "warm-start": warmStartCommand(context, exit) },
  };
}

function warmStartCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "story warm-start",
      description:
        "Teach a story model to copy names, most of them made up: a start for story-tellers and story-relay; or, with --lessons budgets, to keep to a budget: a start for story-budget",
      args: {
        model: { type: "string", required: true, description: "The story model: a folder, or hub:OWNER/NAME/FOLDER" },
        out: { type: "string", required: true, description: "Folder for the model", valueHint: "folder" },
        lessons: { type: "enum", description: "What is taught", options: [...courses], default: courses[0] },
        form: { type: "enum", description: "How budgets are said (default: unary)", options: [...budgetFormNames] },
        steps: {
          type: "string",
          description: `Training steps (default: ${copyingDefaults.steps}; ${budgetDefaults.steps} for budgets)`,
          valueHint: "n",
        },
        batch: { type: "string", description: "Examples per step", default: "32", valueHint: "n" },
        seed: { type: "string", description: "Seed of the examples", default: "0", valueHint: "text" },
        device: { type: "string", description: "Device to compute on", default: "wasm", valueHint: "name" },
        ...jsonFlag,
      },
      run: async (args) => {
        const { device, model, seed } = args;
        const isBudgets = args.lessons === "budgets";
        if (args.form !== undefined && !isBudgets)
          throw new LaconicError("config_invalid", "--form is how a budget is said: it goes with --lessons budgets");
        const defaults = isBudgets ? budgetDefaults : copyingDefaults;
        const steps = wholeNumber("steps", args.steps ?? String(defaults.steps));
        const batch = wholeNumber("batch", args.batch);
        const folder = resolve(args.out);
        const lessons = { model, folder, steps, batch, seed, device };
        const loss = isBudgets
          ? await teachBudgets(lessons, terminal, args.form)
          : await teachCopying(lessons, terminal);
        terminal.result(args.json ? JSON.stringify({ folder, steps, loss }) : `${folder}: loss ${loss.toFixed(4)}`);
        return 0;
      },
    },
    exit,
  );
}
