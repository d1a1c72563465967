import { choiceFlag, textFlag, toggle, type Argument, type Flags } from "./arguments.ts";

export interface RunFlags {
  readonly json: boolean;
  readonly seed?: string | undefined;
  readonly device?: string | undefined;
  readonly run?: string | undefined;
  readonly resume: boolean;
  readonly "dry-run": boolean;
}

interface RunChoiceFlags {
  readonly trust: boolean;
  readonly best: boolean;
  readonly sources: "own" | "current";
}

export const jsonFlag: Flags<{ readonly json: boolean }> = { json: toggle("Print the result as one line of JSON") };

/** Handled by `runCommand`. */
export const trustFlag: Flags<{ readonly trust: boolean }> = {
  trust: toggle("Run the code, and ask the servers, of folders that were not made here"),
};

export const viewFlag: Flags<{ readonly view: boolean }> = {
  view: toggle("Show the run in the browser, during and after training, until ctrl-c"),
};

export const runChoiceFlags: Flags<RunChoiceFlags> = {
  ...trustFlag,
  best: toggle("The checkpoint of the best evaluation instead of the last one"),
  sources: choiceFlag(
    "What is read where files of your own were edited since: the run's own copies, or the files as they are",
    ["own", "current"],
    "own",
  ),
};

export function runChoiceOf({ best, sources }: Omit<RunChoiceFlags, "trust">): {
  readonly which: "best" | "latest";
  readonly sources: "own" | "current";
} {
  return { which: best ? "best" : "latest", sources };
}

export const runFlags: Flags<RunFlags> = {
  ...jsonFlag,
  seed: textFlag("Seed of every random draw", "text"),
  device: textFlag("Device to compute on: auto, or a name that doctor lists; cuda:0,1 takes two GPUs", "name"),
  run: textFlag("Run directory", "folder"),
  resume: toggle("Continue the run directory's last checkpoint"),
  "dry-run": toggle("Print the resolved configuration and stop"),
};

export const hostFlag: Argument<string> = textFlag("Address to listen on", "address", "127.0.0.1");
