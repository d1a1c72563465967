import { resolve } from "node:path";
import { formatNumber } from "@laconic/core/text";
import { LaconicError } from "@laconic/core";
import { budgetFormNames } from "@laconic/worlds/stories";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { wholeNumber } from "../cli/numbers.ts";
import { printResult } from "../cli/terminal.ts";
import { trainWarmStart, warmStartNames, warmStartSettings } from "@laconic/runtime";
import { chooseDevice } from "@laconic/runtime/devices";
import { foundAgain, openModelFolder } from "@laconic/runtime/models";
import { jsonFlag } from "../cli/flags.ts";
import type { CommandContext } from "./common.ts";

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
        "Teach a story model to copy names, most of them made up: a start for story-relay; with --examples owners to name who owns what is asked, for story-tellers; with --examples budgets to keep to a budget, for story-budget",
      args: {
        model: { type: "string", required: true, description: "The story model: a folder, or hub:OWNER/NAME/FOLDER" },
        out: { type: "string", required: true, description: "Folder for the model", valueHint: "folder" },
        examples: {
          type: "enum",
          alias: "lessons",
          description: "What the examples train",
          options: [...warmStartNames],
          default: "copying",
        },
        form: { type: "enum", description: "How budgets are said (default: unary)", options: [...budgetFormNames] },
        steps: {
          type: "string",
          description: "Training steps (default: 400; 600 for owners, 160 for budgets)",
          valueHint: "n",
        },
        batch: { type: "string", description: "Examples per step", default: "32", valueHint: "n" },
        seed: { type: "string", description: "Seed of the examples", default: "0", valueHint: "text" },
        device: { type: "string", description: "Device to compute on", default: "wasm", valueHint: "name" },
        ...jsonFlag,
      },
      run: async (args) => {
        if (args.form !== undefined && args.examples !== "budgets")
          throw new LaconicError("config_invalid", "--form is how a budget is said: it goes with --examples budgets");
        const batch = wholeNumber("batch", args.batch);
        const folder = resolve(args.out);
        const place = await chooseDevice(args.device, "auto", (line) => terminal.note(line));
        const { pinned, folder: from } = await openModelFolder(args.model, terminal);
        const model = foundAgain(pinned);
        const { seed } = args;
        const warmStart = {
          ...warmStartSettings.parse({
            name: args.examples,
            batch,
            ...(args.steps !== undefined && { steps: wholeNumber("steps", args.steps) }),
            ...(args.form !== undefined && { form: args.form }),
          }),
          seed,
        };
        const { loss } = await trainWarmStart({ warmStart, model, from, to: folder, place }, terminal);
        printResult(
          terminal,
          args.json,
          { folder, steps: warmStart.steps, loss },
          () => `${folder}: loss ${formatNumber(loss)}`,
        );
        return 0;
      },
    },
    exit,
  );
}
