/**
 * Texts that the authors of methods published, by commit and sha256: fetched into a data folder, never shipped.
 * @module @laconic/benchmarks/exemplars
 */
export { exemplarSources, exemplarsNamed, filesOf, openExemplars } from "./open-exemplars.ts";
export type { ExemplarOptions, ExemplarSource, OpenedExemplars } from "./open-exemplars.ts";
