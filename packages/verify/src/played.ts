import type { Utterance } from "@laconic/core";
import type { StoredEpisode } from "@laconic/core/run-folder";

export type Played = StoredEpisode<Utterance>;
