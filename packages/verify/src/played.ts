import type { Utterance } from "@laconic/core";
import type { StoredEpisode } from "@laconic/core/run-folder";

/** An episode with its utterances and its score. */
export type Played = StoredEpisode<Utterance>;
