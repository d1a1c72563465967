export { findFiles } from "../data/find-files.ts";
export { openSplit } from "../data/open-split.ts";
export { openData } from "../own/open-data.ts";
export { openProblems } from "../own/open-data.ts";
