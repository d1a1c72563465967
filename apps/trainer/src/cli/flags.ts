import type { RunChoice } from "@laconic/runtime";

interface Flag {
  readonly type: "boolean";
  readonly description: string;
}

interface TextFlag {
  readonly type: "string";
  readonly description: string;
  readonly valueHint: string;
}

export const jsonFlag: { readonly json: Flag } = {
  json: { type: "boolean", description: "Print the result as one line of JSON" },
};

/** Of commands that open folders; `command` acts on it. */
export const trustFlag: { readonly trust: Flag } = {
  trust: { type: "boolean", description: "Run the code, and ask the servers, of folders that were not made here" },
};

/** Of commands that open a run and train nothing. */
export const runChoiceFlags: {
  readonly trust: Flag;
  readonly best: Flag;
  readonly sources: {
    readonly type: "enum";
    readonly description: string;
    readonly options: ("own" | "current")[];
    readonly default: "own";
  };
} = {
  ...trustFlag,
  best: { type: "boolean", description: "The checkpoint of the best evaluation instead of the last one" },
  sources: {
    type: "enum",
    description:
      "What is read where files of your own were edited since: the run's own copies, or the files as they are",
    options: ["own", "current"],
    default: "own",
  },
};

/** What they say. */
export function runChoiceOf(args: {
  readonly best?: boolean | undefined;
  readonly sources: "own" | "current";
}): RunChoice {
  return { which: args.best ? "best" : "latest", sources: args.sources };
}

export const viewFlag: { readonly view: Flag } = {
  view: { type: "boolean", description: "Show it in the browser while it goes on, and after it until ctrl-c" },
};

export const runFlags: {
  readonly json: Flag;
  readonly seed: TextFlag;
  readonly device: TextFlag;
  readonly run: TextFlag;
  readonly resume: Flag;
  readonly "dry-run": Flag;
} = {
  ...jsonFlag,
  seed: { type: "string", description: "Seed of every random draw", valueHint: "text" },
  device: {
    type: "string",
    description: "Device to compute on: auto, or a name that doctor lists; cuda:0,1 takes two GPUs",
    valueHint: "name",
  },
  run: { type: "string", description: "Run directory", valueHint: "folder" },
  resume: { type: "boolean", description: "Continue the run directory's last checkpoint" },
  "dry-run": { type: "boolean", description: "Print the resolved configuration and stop" },
};
