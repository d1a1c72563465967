export { findFiles, openSplit } from "../data/open-split.ts";
export { openData } from "../own/open-data.ts";
export { openProblems } from "../own/open-data.ts";
