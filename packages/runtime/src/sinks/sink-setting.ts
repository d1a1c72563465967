import { z } from "zod";
import { isReference, type Reference } from "../resolver/reference.ts";

/** A sink that has a name, with its settings; what is absent is in the environment, or has a default. */
export type NamedSink =
  | "tensorboard"
  | "wandb"
  /** Offline runs: `wandb sync` sends them. */
  | { readonly wandb: { readonly project?: string; readonly entity?: string } };

/** A named sink, or a reference to one. */
export type SinkSetting = NamedSink | Reference;

/** Argument of a function that makes a sink. */
export interface OwnSinkPlace {
  /** The run's folder. */
  readonly directory: string;
}

export const defaultSinks: readonly SinkSetting[] = ["tensorboard"];

/** Whether a run has what it has by default. */
export function isDefaultSinks(sinks: readonly SinkSetting[]): boolean {
  return JSON.stringify(sinks) === JSON.stringify(defaultSinks);
}

const word = z.string().min(1).exactOptional();

/** Of the key `sinks`; values are references by then. */
export const sinkSettings: z.ZodType<readonly SinkSetting[]> = z.array(
  z.union(
    [
      z.enum(["tensorboard", "wandb"]),
      z.strictObject({
        wandb: z
          .strictObject({ project: word.describe("Project"), entity: word.describe("User or team") })
          .describe("Weights & Biases"),
      }),
      z.custom<Reference>(isReference),
    ],
    {
      error: 'no such sink; "tensorboard", "wandb", { wandb: { project } }, or a file that makes one, "./sink.ts"',
    },
  ),
);
