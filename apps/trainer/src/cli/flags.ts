import { configError, isRecord, type UnknownRecord } from "@laconic/core";
import { tryParseJson } from "@laconic/core/json";
import {
  choiceFlag,
  grouped,
  textFlag,
  toggle,
  valueFlag,
  type Argument,
  type Flags,
  type ValueFlag,
} from "./arguments.ts";

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

export const jsonFlag: Flags<{ readonly json: boolean }> = grouped("Output", {
  json: toggle("Print the result as one line of JSON"),
});

/** Handled by `runCommand`. */
export const trustFlag: Flags<{ readonly trust: boolean }> = grouped("Input", {
  trust: toggle("Allow code and servers of folders from another machine"),
});

export const viewFlag: Flags<{ readonly view: boolean }> = grouped("Output", {
  view: toggle("Show the run in the browser until ctrl-c"),
});

export const runChoiceFlags: Flags<RunChoiceFlags> = {
  ...trustFlag,
  ...grouped("Input", {
    best: toggle("Checkpoint of the best evaluation instead of the last one"),
    sources: choiceFlag("Your edited files: the run's copies (own) or the current files", ["own", "current"], "own"),
  }),
};

export function runChoiceOf({ best, sources }: Omit<RunChoiceFlags, "trust">): {
  readonly which: "best" | "latest";
  readonly sources: "own" | "current";
} {
  return { which: best ? "best" : "latest", sources };
}

export const runFlags: Flags<RunFlags> = {
  ...jsonFlag,
  ...grouped("Sampling", { seed: textFlag("Seed of every random draw", "text") }),
  ...grouped("Model", { device: textFlag("Device: auto, or a name from doctor; cuda:0,1 uses two GPUs", "name") }),
  ...grouped("Run", {
    run: textFlag("Run folder", "folder"),
    resume: toggle("Resume from the run's last checkpoint"),
    "dry-run": toggle("Print the resolved configuration and stop"),
  }),
};

export const baseUrlFlag: Argument<string | undefined> = textFlag(
  "OpenAI-compatible server (default: $OPENAI_BASE_URL, or OpenAI); key: $OPENAI_API_KEY",
  "url",
);

export const hostFlag: Flags<{ readonly host: string }> = grouped("Server", {
  host: textFlag("Address to listen on", "address", "127.0.0.1"),
});

/** JSON object. @throws LaconicError `config_invalid` for other values */
export const templateArgumentsFlag: ValueFlag<UnknownRecord> = valueFlag((text, flag) => {
  const value = tryParseJson(text);
  if (isRecord(value)) return value;
  throw configError(`--${flag} is ${text}: expected a JSON object, such as {"enable_thinking":false}`, { flag });
});
