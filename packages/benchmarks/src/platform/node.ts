export { findFiles, openSplit } from "../data/open-split.ts";
export { openData, openProblems } from "../own/open-data.ts";
