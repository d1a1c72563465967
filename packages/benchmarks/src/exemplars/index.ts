/**
 * Texts published by authors of methods: fetched, never shipped.
 * @module @laconic/benchmarks/exemplars
 */
export { exemplarSources, exemplarsNamed, filesOf, installedTexts, openExemplars } from "./open-exemplars.ts";
export type { ExemplarOptions, ExemplarSource, InstalledTexts, OpenedExemplars } from "./open-exemplars.ts";
