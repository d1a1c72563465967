import { codeSources } from "./code-sources.ts";
import { paperSources } from "./paper-sources.ts";
import { promptSources } from "./prompt-sources.ts";
import { singleSources } from "./single-sources.ts";
import type { ExemplarSource } from "./source.ts";
import { teamSources } from "./team-sources.ts";

/** All sources, by the names that protocols know them by. */
export const exemplarSources: readonly ExemplarSource[] = [
  ...singleSources,
  ...teamSources,
  ...codeSources,
  ...promptSources,
  ...paperSources,
];
