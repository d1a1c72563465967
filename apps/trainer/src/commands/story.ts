import { resolve } from "node:path";
import type { CommandDef } from "citty";
import { command, type ExitCode } from "../cli/command.ts";
import { wholeNumber } from "../cli/numbers.ts";
import { giveLessons } from "../run/lessons/give-lessons.ts";
import { chooseDevice } from "../run/devices.ts";
import { openModelFolder } from "../run/model-folder.ts";
import { jsonFlag, type CommandContext } from "./common.ts";

export function storyCommand(context: CommandContext, exit: ExitCode): CommandDef {
  return {
    subCommands: { "warm-start": warmStartCommand(context, exit) },
  };
}

function warmStartCommand({ terminal }: CommandContext, exit: ExitCode): CommandDef {
  return command(
    {
      name: "story warm-start",
      description: "Teach a story model to copy names, most of them made up: a start for story-tellers and story-relay",
      args: {
        model: { type: "string", required: true, description: "The story model: a folder, or hub:OWNER/NAME/FOLDER" },
        out: { type: "string", required: true, description: "Folder for the model", valueHint: "folder" },
        steps: { type: "string", description: "Training steps", default: "400", valueHint: "n" },
        batch: { type: "string", description: "Examples per step", default: "32", valueHint: "n" },
        seed: { type: "string", description: "Seed of the examples", default: "0", valueHint: "text" },
        device: { type: "string", description: "Device to compute on", default: "wasm", valueHint: "name" },
        ...jsonFlag,
      },
      run: async (args) => {
        const [steps, batch] = [wholeNumber("steps", args.steps), wholeNumber("batch", args.batch)];
        const folder = resolve(args.out);
        const place = await chooseDevice(args.device, "auto", (line) => terminal.note(line));
        const { pinned, folder: from } = await openModelFolder(args.model, terminal);
        const model = pinned.startsWith("hub:") ? pinned : resolve(pinned);
        const lessons = { name: "copying", steps, batch, seed: args.seed } as const;
        const { loss } = await giveLessons({ lessons, model, from, to: folder, place }, terminal);
        terminal.result(args.json ? JSON.stringify({ folder, steps, loss }) : `${folder}: loss ${loss.toFixed(4)}`);
        return 0;
      },
    },
    exit,
  );
}
