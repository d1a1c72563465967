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
