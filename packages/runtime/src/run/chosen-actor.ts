import type { ModelSource } from "@laconic/core";
import type { TeamTask } from "@laconic/tasks";
import type { ActorSettings } from "./run-settings.ts";

/** Who speaks for the agents that do not learn, instead of the training's. */
export interface ActorChoice {
  /** What results call it: the same text means the same weights, as far as a name can. */
  readonly title: string;
  readonly speaks:
    | ActorSettings
    /** The trained policy of another run. */
    | { readonly source: ModelSource; readonly tokenizer: TeamTask["tokenizer"] };
}
